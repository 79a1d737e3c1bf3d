#include "summary/event_writer.hpp"
#include "summary/records/file_source.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/in_memory_writer.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/string_sink.hpp"
#include "tests/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <sys/wait.h>
#include <unistd.h>

namespace popscope::summary {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using tests::InMemoryWriter;
using tests::readRun;
using tests::stepsOf;
using tests::StringSink;
using tests::TempDir;

const Tag kLoss("loss");

TEST(EventWriter, FlushesOnTheFirstWriteASecondAfterTheLast) {
  InMemoryWriter memory;
  memory.clock.advance(0.9);
  const std::size_t before = memory.bytes().size();
  memory.writer->scalar(kLoss, Step(1), 1);
  EXPECT_EQ(memory.bytes().size(), before) << "not due yet";
  memory.clock.advance(0.1);
  memory.writer->scalar(kLoss, Step(2), 1);
  EXPECT_GT(memory.bytes().size(), before);
  const std::size_t after = memory.bytes().size();
  memory.writer->scalar(kLoss, Step(3), 1);
  EXPECT_EQ(memory.bytes().size(), after);
  EXPECT_EQ(memory.writer->flushIfDue(), SinkError::none);
  EXPECT_EQ(memory.bytes().size(), after);
  memory.clock.advance(1);
  EXPECT_EQ(memory.writer->flushIfDue(), SinkError::none);
  EXPECT_GT(memory.bytes().size(), after);
}

TEST(EventWriter, AClockThatGoesBackDoesNotStopFlushing) {
  InMemoryWriter memory;
  memory.writer->scalar(kLoss, Step(1), 1);
  const std::size_t before = memory.bytes().size();
  memory.clock.advance(-3600);
  memory.writer->scalar(kLoss, Step(2), 1);
  EXPECT_GT(memory.bytes().size(), before);
}

TEST(EventWriter, SyncsOnlyWhenAskedTo) {
  InMemoryWriter lazy;
  EXPECT_EQ(lazy.writer->flush(), SinkError::none);
  EXPECT_EQ(lazy.sinks.back()->syncs, 0);
  EventWriterOptions options;
  options.durability = Durability::survivesPowerLoss;
  InMemoryWriter durable(options);
  const int before = durable.sinks.back()->syncs;
  durable.writer->scalar(kLoss, Step(1), 1);
  EXPECT_EQ(durable.writer->flush(), SinkError::none);
  EXPECT_EQ(durable.sinks.back()->syncs, before + 1);
}

TEST(EventWriter, FullDiskIsSaidOnceAndEveryLostValueIsCounted) {
  InMemoryWriter memory;
  memory.writer->scalar(kLoss, Step(1), 1);
  ASSERT_EQ(memory.writer->flush(), SinkError::none);
  memory.sinks.back()->capacity = memory.bytes().size() + 20;
  memory.writer->scalar(kLoss, Step(2), 1);
  memory.writer->scalar(kLoss, Step(3), 1);
  EXPECT_EQ(memory.writer->flush(), SinkError::diskFull);
  memory.sinks.back()->capacity = std::numeric_limits<std::size_t>::max();
  memory.writer->scalar(kLoss, Step(4), 1);
  EXPECT_EQ(memory.writer->flush(), SinkError::diskFull);
  EXPECT_EQ(memory.writer->close(), SinkError::diskFull);
  EXPECT_EQ(memory.writer->error(), SinkError::diskFull);
  EXPECT_EQ(memory.writer->dropped(), 3u);
  ASSERT_EQ(memory.failures.size(), 1u);
  EXPECT_EQ(memory.failures[0].what,
            (memory.directory.path() / "run").string());
  EXPECT_EQ(memory.failures[0].error, "disk full");
}

TEST(EventWriter, ReportsRecordsBytesAndTheFirstStepThatAreLost) {
  InMemoryWriter memory;
  memory.writer->scalar(kLoss, Step(1), 1);
  ASSERT_EQ(memory.writer->flush(), SinkError::none);
  EXPECT_TRUE(memory.writer->report().isWhole());
  EXPECT_FALSE(memory.writer->report().firstLost);
  const std::size_t before = memory.bytes().size();
  memory.writer->scalar(kLoss, Step(2), 1);
  ASSERT_EQ(memory.writer->flush(), SinkError::none);
  const std::size_t recordBytes = memory.bytes().size() - before;

  memory.sinks.back()->capacity = memory.bytes().size();
  const Tag other("other");
  memory.writer->scalar(kLoss, Step(3), 1); // gathered, then lost
  EXPECT_EQ(memory.writer->flush(), SinkError::diskFull);
  memory.writer->scalar(kLoss, Step(4), 1); // dropped at once
  const EventWriter::ScalarPoint both[] = {{&kLoss, 1}, {&other, 1}};
  memory.writer->scalars(Step(5), {both, 2}); // one record of two values
  const WriteReport report = memory.writer->report();
  EXPECT_FALSE(report.isWhole());
  EXPECT_EQ(report.error, "disk full");
  EXPECT_EQ(report.lostRecords, 3u);
  EXPECT_EQ(memory.writer->dropped(), 4u);
  EXPECT_GT(report.lostBytes, 3 * recordBytes);
  EXPECT_LT(report.lostBytes, 4 * recordBytes);
  ASSERT_TRUE(report.firstLost);
  EXPECT_EQ(report.firstLost->value(), 3);
}

TEST(EventWriter, TellsWhatIsLostWhenItIsClosed) {
  std::vector<WriteReport> closed;
  EventWriterOptions options;
  options.onClose = [&](const WriteReport &report) {
    closed.push_back(report);
  };
  {
    InMemoryWriter whole(options);
    whole.writer->scalar(kLoss, Step(1), 1);
  }
  EXPECT_THAT(closed, testing::IsEmpty()) << "nothing was lost";
  {
    InMemoryWriter full(options);
    full.sinks.back()->capacity = full.bytes().size();
    for (int step = 1; step <= 5; ++step)
      full.writer->scalar(kLoss, Step(step), 1);
    EXPECT_EQ(full.writer->close(), SinkError::diskFull);
  }
  ASSERT_EQ(closed.size(), 1u) << "once";
  EXPECT_EQ(closed[0].lostRecords, 6u) << "with the start of the session";
}

TEST(EventWriter, ThatCannotBeMadeReportsItIfAsked) {
  const TempDir directory;
  const std::string file = directory.file("file", "");
  std::vector<WriteReport> failures;
  EventWriterOptions options;
  options.openFailure = OpenFailure::isReported;
  options.onFailure = [&](const WriteReport &report) {
    failures.push_back(report);
  };
  EventWriter writer(fs::path(file) / "run", options);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].what, file + "/run");
  EXPECT_EQ(failures[0].error, "cannot be created: Not a directory");
  writer.scalar(kLoss, Step(7), 1);
  EXPECT_EQ(writer.flush(), SinkError::io);
  EXPECT_EQ(writer.report().lostRecords, 1u);
  EXPECT_EQ(writer.report().firstLost->value(), 7);
  EXPECT_EQ(failures.size(), 1u) << "once";
  options.openFile = [](const fs::path &) {
    auto sink = std::make_unique<StringSink>();
    sink->capacity = 10;
    return sink;
  };
  const EventWriter full(directory.path(), options);
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_EQ(failures[1].error, "disk full");
}

TEST(EventWriter, RealFileTooLargeIsAFullDisk) {
  const TempDir directory;
  std::vector<WriteReport> failures;
  EventWriterOptions options;
  options.onFailure = [&](const WriteReport &report) {
    failures.push_back(report);
  };
  EventWriter writer(directory.path(), options);
  SinkError error = SinkError::none;
  {
    const tests::FileSizeLimit limit(1000);
    for (int step = 0; step < 100; ++step)
      writer.scalar(kLoss, Step(step), 1);
    error = writer.flush();
  }
  EXPECT_EQ(error, SinkError::diskFull);
  EXPECT_EQ(failures.size(), 1u);
  // What is on disk is readable up to a torn tail.
  FileSource source(writer.file());
  EXPECT_GT(tests::readPayloads(source).size(), 10u);
}

TEST(EventWriter, NoticesThatItsDirectoryVanished) {
  const TempDir directory;
  std::vector<WriteReport> failures;
  EventWriterOptions options;
  options.onFailure = [&](const WriteReport &report) {
    failures.push_back(report);
  };
  EventWriter writer(directory.path() / "run", options);
  fs::remove_all(directory.path() / "run");
  writer.scalar(kLoss, Step(1), 1);
  EXPECT_EQ(writer.flush(), SinkError::vanished);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_THAT(failures[0].error, HasSubstr("was removed while"));
}

TEST(EventWriter, CannotBeMadeWhereNoDirectoryCanBe) {
  const TempDir directory;
  const std::string file = directory.file("file", "");
  try {
    EventWriter writer(fs::path(file) / "run");
    FAIL();
  } catch (const std::runtime_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("[summary] cannot create directory"));
    EXPECT_THAT(error.what(), HasSubstr(file));
  }
}

TEST(EventWriter, CannotBeMadeWithoutPermission) {
  const TempDir directory;
  fs::permissions(directory.path(), fs::perms::owner_read |
                                        fs::perms::owner_exec |
                                        fs::perms::others_exec);
  // A child, since the tests may run as root, whom permissions do not stop.
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && ::setuid(kNobody) != 0)
      ::_exit(3);
    try {
      EventWriter writer(directory.path());
    } catch (const std::runtime_error &error) {
      const std::string message = error.what();
      const bool isClear =
          message.find("[summary] cannot create") != std::string::npos &&
          message.find("Permission denied") != std::string::npos;
      ::_exit(isClear ? 0 : 1);
    }
    ::_exit(2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(EventWriter, CannotBeMadeOnAFullDisk) {
  EventWriterOptions options;
  const TempDir directory;
  options.openFile = [](const fs::path &) {
    auto sink = std::make_unique<StringSink>();
    sink->capacity = 10;
    return sink;
  };
  EXPECT_THROW(EventWriter(directory.path(), options), std::runtime_error);
}

TEST(EventWriter, ValuesAfterCloseAreCountedNotWritten) {
  const TempDir directory;
  EventWriter writer(directory.path());
  writer.scalar(kLoss, Step(1), 1);
  EXPECT_EQ(writer.close(), SinkError::none);
  EXPECT_EQ(writer.close(), SinkError::none);
  writer.scalar(kLoss, Step(2), 1);
  EXPECT_EQ(writer.dropped(), 1u);
  EXPECT_THAT(stepsOf(readRun(directory.path()), "loss"), ElementsAre(1));
}

TEST(EventWriter, ClosedFromASignalHandlerHasEverything) {
  const TempDir directory;
  EventWriter writer(directory.path());
  for (int step = 1; step <= 3; ++step)
    writer.scalar(kLoss, Step(step), 1);
  EXPECT_TRUE(writer.closeFromSignal());
  EXPECT_THAT(stepsOf(readRun(directory.path()), "loss"), ElementsAre(1, 2, 3));
  writer.scalar(kLoss, Step(4), 1);
  EXPECT_EQ(writer.dropped(), 1u);
  EXPECT_EQ(writer.close(), SinkError::none);
}

} // namespace
} // namespace popscope::summary
