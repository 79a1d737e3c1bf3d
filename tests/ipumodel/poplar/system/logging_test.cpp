#include "poplar/system/logging.hpp"

#include <poplar/exceptions.hpp>

#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

using ipumodel::Logger;
using ipumodel::LogLevel;
using testing::HasSubstr;

namespace {

TEST(Logger, LevelLetsItselfAndWorseThrough) {
  const Logger logger(LogLevel::warn, "stderr");
  EXPECT_FALSE(logger.isOn(LogLevel::info));
  EXPECT_TRUE(logger.isOn(LogLevel::warn));
  EXPECT_TRUE(logger.isOn(LogLevel::err));
}

TEST(Logger, OffLetsNothingThrough) {
  const Logger logger(LogLevel::off, "stderr");
  EXPECT_FALSE(logger.isOn(LogLevel::err));
  EXPECT_FALSE(logger.isOn(LogLevel::off));
}

TEST(Logger, WritesOneLinePerMessageToItsFile) {
  const std::string path = testing::TempDir() + "poplar_logging_test";
  Logger(LogLevel::info, path).write(LogLevel::warn, "tile 3 is full");
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::remove(path.c_str());
  EXPECT_THAT(text, HasSubstr("[WARN] tile 3 is full\n"));
}

TEST(Logger, RefusesAFileItCannotWrite) {
  EXPECT_THROW(Logger(LogLevel::info, "/no/such/directory/log"),
               poplar::invalid_option);
}

} // namespace
