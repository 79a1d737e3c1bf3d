#include "summary/event_writer.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/string_sink.hpp"
#include "tests/support/temp_dir.hpp"

#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <system_error>

namespace popscope::summary {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using tests::FakeClock;
using tests::readEvents;
using tests::readRun;
using tests::stepsOf;
using tests::StringSink;
using tests::TempDir;
using tests::valuesOf;

const Tag kLoss("loss");

TEST(EventWriter, KeepsTheFirstAndEveryNthValueOfEachTag) {
  const TempDir directory;
  EventWriterOptions options;
  options.everyNth = 3;
  {
    EventWriter writer(directory.path(), options);
    for (int step = 10; step < 18; ++step) {
      EventBatch batch{Step(step)};
      batch.add(kLoss, 1.0F);
      if (step >= 14)
        batch.add(Tag("late"), 1.0F);
      writer.write(batch);
    }
    EXPECT_EQ(writer.thinned(), 5u + 2u);
    const Tag together("together");
    for (int step = 20; step < 24; ++step)
      writer.scalars(Step(step), {{{&kLoss, 1.0F}, {&together, 1.0F}}});
    EXPECT_EQ(writer.thinned(), 5u + 2u + 3u + 2u);
    EXPECT_EQ(writer.dropped(), 0u);
  }
  const auto events = readRun(directory.path());
  EXPECT_THAT(stepsOf(events, "loss"), ElementsAre(10, 13, 16, 21));
  EXPECT_THAT(stepsOf(events, "late"), ElementsAre(14, 17));
  EXPECT_THAT(stepsOf(events, "together"), ElementsAre(20, 23));
}

TEST(EventWriter, StopsBeforeTheRunExceedsItsBytes) {
  const TempDir directory;
  EventWriterOptions options;
  options.maxRunBytes = 2000;
  std::vector<std::string> failures;
  options.onFailure = [&](const WriteReport &report) {
    failures.push_back(report.error);
  };
  for (int start = 0; start < 2; ++start) {
    EventWriter writer(directory.path(), options);
    for (int step = 0; step < 30; ++step)
      writer.scalar(kLoss, Step(step), 1);
    EXPECT_EQ(writer.error(),
              start == 0 ? SinkError::none : SinkError::overLimit);
  }
  std::uintmax_t bytes = 0;
  for (const auto &file : eventFilesIn(directory.path()))
    bytes += fs::file_size(file);
  EXPECT_LE(bytes, 2000u);
  EXPECT_GT(bytes, 1950u);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_THAT(failures[0], HasSubstr("limit of bytes for this run"));
}

TEST(EventWriter, RotatesIntoFilesThatReadAsOne) {
  const TempDir directory;
  EventWriterOptions options;
  options.rotateBytes = 1000;
  options.clock = FakeClock(1.7e9);
  std::vector<std::int64_t> expected;
  {
    EventWriter writer(directory.path(), options);
    for (int step = 0; step < 200; ++step) {
      expected.push_back(step);
      writer.text(Tag("note"), Step(step), "text");
    }
  }
  const auto files = eventFilesIn(directory.path());
  EXPECT_GT(files.size(), 5u);
  for (const auto &file : files) {
    const auto events = readEvents(file);
    EXPECT_EQ(events[0].file_version(), "brain.Event:2");
    EXPECT_TRUE(valuesOf(events, "note").at(0).has_metadata());
  }
  EXPECT_THAT(stepsOf(readRun(directory.path()), "note"),
              testing::ElementsAreArray(expected));
}

TEST(EventWriter, KeepsTheLastFilesAndThoseAboutTheWholeRun) {
  const TempDir directory;
  directory.file("events.out.tfevents.0000000001.other", "");
  EventWriterOptions options;
  options.rotateBytes = 1000;
  options.keepFiles = 3;
  fs::path withGraph;
  {
    EventWriter writer(directory.path(), options);
    for (int step = 0; step < 200; ++step) {
      writer.scalar(kLoss, Step(step), 1);
      if (step == 50) {
        writer.graph({{{"node", "Op", {}, {}, "", {}, {}}}});
        withGraph = writer.file();
      }
    }
  }
  const auto files = eventFilesIn(directory.path());
  ASSERT_EQ(files.size(), 1u + 1u + 3u);
  EXPECT_EQ(files[0].filename(), "events.out.tfevents.0000000001.other");
  EXPECT_EQ(files[1], withGraph);
  EXPECT_EQ(stepsOf(readEvents(files.back()), "loss").back(), 199);
}

TEST(EventWriter, RotationThatFailsIsAFailureLikeAnyOther) {
  const TempDir directory;
  EventWriterOptions options;
  options.rotateBytes = 200;
  int opened = 0;
  options.openFile = [&](const fs::path &path) -> std::unique_ptr<ByteSink> {
    if (opened++ > 0)
      throw std::system_error(EACCES, std::generic_category(), path.string());
    return std::make_unique<StringSink>();
  };
  std::vector<std::string> failures;
  options.onFailure = [&](const WriteReport &report) {
    failures.push_back(report.error);
  };
  EventWriter writer(directory.path(), options);
  for (int step = 0; step < 10; ++step)
    writer.scalar(kLoss, Step(step), 1);
  EXPECT_EQ(writer.error(), SinkError::io);
  EXPECT_GT(writer.dropped(), 0u);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_THAT(failures[0], HasSubstr("Permission denied"));
}

} // namespace
} // namespace popscope::summary
