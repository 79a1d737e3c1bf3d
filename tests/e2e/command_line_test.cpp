#include "tests/support/command.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <string>

namespace popscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

tests::CommandResult popscope(const std::string &arguments) {
  return tests::runCommand(std::string(POPSCOPE_COMMAND) + " " + arguments);
}

// Bad input: exit code 2 and one line that says what is wrong.
void expectRefused(const std::string &arguments, const std::string &reason) {
  const auto result = popscope(arguments);
  EXPECT_EQ(result.exitCode, 2) << arguments;
  EXPECT_THAT(result.output, StartsWith("popscope: ")) << arguments;
  EXPECT_THAT(result.output, HasSubstr(reason)) << arguments;
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1)
      << result.output;
}

TEST(CommandLine, HelpShowsExamples) {
  for (const char *arguments : {"--help", "train --help"}) {
    const auto result = popscope(arguments);
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_THAT(result.output, HasSubstr("popscope train --data"));
  }
}

TEST(CommandLine, VersionNamesProgramAndEngine) {
  const auto result = popscope("--version");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_TRUE(std::regex_match(
      result.output,
      std::regex("popscope [0-9]+\\.[0-9]+\\.[0-9]+, Poplar .+\n")))
      << result.output;
}

TEST(CommandLine, BadInputIsRefusedInOneLine) {
  expectRefused("", "subcommand");
  expectRefused("fly", "fly");
  expectRefused("train --epochs 0", "--epochs");
  expectRefused("train --batch-size x", "--batch-size");
  expectRefused("train --learning-rate -1", "--learning-rate: -1");
  expectRefused("train --learning-rate nan", "--learning-rate: nan");
  expectRefused("train --seed -1", "--seed: -1");
  expectRefused("train --device gpu", "gpu");
  expectRefused("train --data /nonexistent", "/nonexistent/train-images");
  const std::string data = "train --data " POPSCOPE_DATA "/mnist ";
  expectRefused(data + "--batch-size 10001", "only 10000 images");
  expectRefused(data + "--batch-size 99999999999999999999", "--batch-size");
  expectRefused(data + "--device model --tiles 2000", "--tiles 2000");
}

TEST(CommandLine, TrainingLearnsBundledMnist) {
  const auto result = popscope(
      "train --device model --epochs 2 --data " POPSCOPE_DATA "/mnist");
  ASSERT_EQ(result.exitCode, 0) << result.output;
  std::smatch match;
  ASSERT_TRUE(std::regex_search(
      result.output, match,
      std::regex("epoch 2/2  loss ([0-9.]+)  test accuracy ([0-9.]+) %")))
      << result.output;
  EXPECT_LT(std::stod(match[1]), 0.8);
  EXPECT_GT(std::stod(match[2]), 75.0);
  EXPECT_THAT(result.output, Not(HasSubstr("\x1b"))) << "no redraws in a pipe";
}

TEST(CommandLine, SameSeedSameOutput) {
  const std::string arguments =
      "train --device model --epochs 1 --data " POPSCOPE_DATA "/mnist --seed ";
  const auto first = popscope(arguments + "7");
  ASSERT_EQ(first.exitCode, 0) << first.output;
  EXPECT_EQ(popscope(arguments + "7").output, first.output);
  EXPECT_NE(popscope(arguments + "8").output, first.output);
}

} // namespace
} // namespace popscope
