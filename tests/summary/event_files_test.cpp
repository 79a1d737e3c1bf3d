#include "summary/event_files.hpp"
#include "tests/support/temp_dir.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::summary {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using tests::TempDir;

std::vector<std::string> names(const std::vector<fs::path> &files) {
  std::vector<std::string> result;
  for (const auto &file : files)
    result.push_back(file.filename().string());
  return result;
}

TEST(EventFiles, AreThoseWithTheMarkInOrderOfName) {
  const TempDir directory;
  for (const char *name : {"b.tfevents.2", "a.tfevents.9", "notes.txt"})
    directory.file(name, "");
  fs::create_directory(directory.path() / "tfevents");
  EXPECT_THAT(names(eventFilesIn(directory.path())),
              ElementsAre("a.tfevents.9", "b.tfevents.2"));
  EXPECT_TRUE(eventFilesIn(directory.path() / "missing").empty());
}

TEST(EventFiles, RunsAreNamedByTheirPathBelowTheLogDirectory) {
  const TempDir directory;
  fs::create_directories(directory.path() / "b/train");
  fs::create_directories(directory.path() / "empty");
  directory.file("x.tfevents", "");
  directory.file("b/train/x.tfevents", "");
  fs::create_directory_symlink(directory.path(), directory.path() / "b/loop");
  std::vector<std::string> found;
  for (const auto &run : findRuns(directory.path()))
    found.push_back(run.name);
  EXPECT_THAT(found, ElementsAre(".", "b/train"));
}

TEST(EventFiles, NameIsTheConventionalOne) {
  const EventFileName name{1700000000, "host", 42, 3, ".v2"};
  EXPECT_EQ(name.text(), "events.out.tfevents.1700000000.host.42.000003.v2");
}

TEST(EventFiles, NextNameSortsBehindAllOthers) {
  const TempDir directory;
  const EventFileName name{1700000000, "host", 42, 0, ""};
  EXPECT_EQ(placeLast(name, directory.path()).text(), name.text());
  // The clock went back, or another host's name sorts behind ours.
  directory.file("events.out.tfevents.1700000005.zebra.1.0", "");
  EXPECT_EQ(placeLast(name, directory.path()).seconds, 1700000006);
  EXPECT_GT(placeLast(name, directory.path()).text(),
            "events.out.tfevents.1700000005.zebra.1.0");
}

} // namespace
} // namespace popscope::summary
