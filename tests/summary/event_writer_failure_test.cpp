#include "summary/event_writer.hpp"
#include "summary/reading/event_reader.hpp"
#include "summary/records/file_source.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/in_memory_writer.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/string_sink.hpp"
#include "tests/support/string_source.hpp"
#include "tests/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
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
  memory.isFull = true;
  memory.clock.advance(2);
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

// The steps of the loss in a file.
std::vector<std::int64_t> stepsIn(const StringSink &sink) {
  tests::StringSource source(sink.bytes);
  EventReader reader(source);
  std::vector<std::int64_t> steps;
  while (const auto event = reader.next())
    for (ValueCursor values(*event); const auto value = values.next();)
      steps.push_back(event->step);
  return steps;
}

TEST(EventWriter, GoesOnInANewFileAfterADiskWasFullForASecond) {
  for (const SinkError error : {SinkError::diskFull, SinkError::io}) {
    InMemoryWriter memory;
    memory.writer->scalar(kLoss, Step(1), 1);
    ASSERT_EQ(memory.writer->flush(), SinkError::none);
    StringSink &first = *memory.sinks.back();
    first.failure = error;
    first.capacity = first.bytes.size() + 20;
    memory.writer->scalar(kLoss, Step(2), 1);
    EXPECT_EQ(memory.writer->flush(), error);
    memory.writer->scalar(kLoss, Step(3), 1);
    EXPECT_EQ(memory.writer->flush(), error) << "too soon to try again";
    memory.clock.advance(1);
    const std::vector<std::int64_t> before = stepsIn(first);
    memory.writer->scalar(kLoss, Step(4), 1);
    EXPECT_EQ(memory.writer->flush(), SinkError::none);
    ASSERT_EQ(memory.sinks.size(), 2u);
    EXPECT_THAT(before, ElementsAre(1));
    EXPECT_THAT(stepsIn(*memory.sinks[1]), ElementsAre(2, 3, 4));
    EXPECT_EQ(memory.writer->dropped(), 0u);
    EXPECT_FALSE(memory.writer->report().isWhole()) << "it is not forgotten";
    EXPECT_EQ(memory.writer->report().error,
              std::string(describe(error)) +
                  "; recording went on in a new file");
    EXPECT_EQ(memory.failures.size(), 1u);
    EXPECT_EQ(memory.writer->close(), error) << "the first there was";
  }
}

TEST(EventWriter, GoesOnWithTheMetadataThatANewFileNeeds) {
  InMemoryWriter memory;
  const Tag note("note");
  memory.writer->text(note, Step(0), "described in the first file");
  ASSERT_EQ(memory.writer->flush(), SinkError::none);
  memory.sinks.back()->capacity = memory.bytes().size();
  // More than is kept.
  const int kSteps = 5000;
  for (int step = 1; step < kSteps; ++step)
    memory.writer->text(note, Step(step), std::string(50, 'x'));
  EXPECT_EQ(memory.writer->flush(), SinkError::diskFull);
  memory.clock.advance(1);
  memory.writer->text(note, Step(kSteps), "after");
  EXPECT_EQ(memory.writer->flush(), SinkError::none);
  const std::uint64_t dropped = memory.writer->dropped();
  EXPECT_GT(dropped, 0u);
  EXPECT_EQ(stepsIn(*memory.sinks[1]).size() + dropped, std::size_t(kSteps))
      << "every value is in a file or counted";
  EXPECT_EQ(stepsIn(*memory.sinks[1]).back(), kSteps);
  tests::StringSource source(memory.bytes());
  EventReader reader(source);
  bool isLastDescribed = false;
  while (const auto event = reader.next())
    for (ValueCursor values(*event); const auto value = values.next();)
      isLastDescribed = !value->metadata.empty();
  EXPECT_TRUE(isLastDescribed) << "those dropped may have been the described";
}

TEST(EventWriter, TriesOnceMoreWhenItIsClosed) {
  InMemoryWriter memory;
  memory.sinks.back()->capacity = memory.bytes().size();
  memory.writer->scalar(kLoss, Step(1), 1);
  EXPECT_EQ(memory.writer->flush(), SinkError::diskFull);
  EXPECT_EQ(memory.writer->close(), SinkError::diskFull);
  EXPECT_EQ(memory.sinks.size(), 2u);
  EXPECT_EQ(memory.writer->dropped(), 0u);
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
    full.isFull = true;
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
  // Nothing of what did not fit.
  FileSource source(writer.file());
  RecordReader reader(source);
  while (reader.next() == ReadState::record)
    ;
  EXPECT_EQ(reader.next(), ReadState::end);
  EXPECT_EQ(writer.close(), SinkError::diskFull);
  std::vector<std::int64_t> all(100);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(stepsOf(readRun(directory.path()), "loss"), all) << "there is room";
}

TEST(EventWriter, ADiskThatStaysFullIsNotLitteredWithFiles) {
  const TempDir directory;
  tests::FakeClock clock(1.7e9);
  EventWriterOptions options;
  options.clock = clock;
  options.onFailure = [](const WriteReport &) {};
  EventWriter writer(directory.path(), options);
  {
    const tests::FileSizeLimit limit(10);
    for (int step = 0; step < 20; ++step) {
      clock.advance(1);
      writer.scalar(kLoss, Step(step), 1);
    }
    EXPECT_EQ(eventFilesIn(directory.path()).size(), 1u);
  }
  clock.advance(1);
  EXPECT_EQ(writer.flush(), SinkError::none);
  EXPECT_EQ(eventFilesIn(directory.path()).size(), 2u);
  EXPECT_EQ(stepsOf(readRun(directory.path()), "loss").size(), 20u);
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
  EXPECT_EQ(writer.report().lostRecords, 2u) << "with the start of the session";
  writer.scalar(kLoss, Step(2), 1);
  EXPECT_EQ(writer.close(), SinkError::vanished);
  EXPECT_THAT(stepsOf(readRun(directory.path() / "run"), "loss"),
              ElementsAre(2));
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
