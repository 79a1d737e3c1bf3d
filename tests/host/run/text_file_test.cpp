#include "host/command.hpp"
#include "host/run/manifest_file.hpp"
#include "host/run/text_file.hpp"
#include "tests/support/temp_dir.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace popscope::host {
namespace {

TEST(TextFile, IsReadAsAWhole) {
  const tests::TempDir directory;
  for (const std::size_t size : {0, 1, 65535, 65536, 65537, 200'000}) {
    const std::string text(size, 'x');
    EXPECT_EQ(readText(directory.file("file", text)), text) << size;
  }
  EXPECT_EQ(readText(directory.path() / "none"), std::nullopt);
  EXPECT_EQ(readText(directory.path()), std::nullopt) << "a directory";
}

TEST(TextFile, ThatIsAbsurdlyLargeIsRefusedEarly) {
  EXPECT_THROW(readText("/dev/zero"), BadInput);
  const tests::TempDir run;
  run.file("popscope.json", "{}");
  // Mostly a hole, which takes no room on the disk.
  std::filesystem::resize_file(run.path() / "popscope.json", std::uintmax_t(1)
                                                                 << 40);
  try {
    readManifest(run.path());
    FAIL();
  } catch (const BadInput &error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("popscope.json: holds more than"));
  }
}

} // namespace
} // namespace popscope::host
