#include "summary/records/event_files.hpp"
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
  // Names that no time sorts behind; and those that then come of them.
  for (const char *last :
       {"events.out.tfevents.99999999999", "events.out.tfevents.repaired",
        "events.out.tfevents.repaired.x", "late.tfevents.9"}) {
    directory.file(last, "");
    for (int start = 0; start < 3; ++start) {
      const auto before = eventFilesIn(directory.path());
      const std::string next = placeLast(name, directory.path()).text();
      EXPECT_GT(next, before.back().filename().string());
      EXPECT_LT(next.size(), std::string(last).size() + 60) << next;
      directory.file(next, "");
    }
  }
}

} // namespace
} // namespace popscope::summary
