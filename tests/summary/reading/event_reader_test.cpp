#include "summary/event_writer.hpp"
#include "summary/reading/event_reader.hpp"
#include "summary/records/record_writer.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/string_sink.hpp"
#include "tests/support/string_source.hpp"
#include "tests/support/temp_dir.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

namespace popscope::summary {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using tests::StringSource;
using tests::TempDir;

const Tag kLoss("loss");

template <class Reader> std::vector<std::int64_t> stepsLeft(Reader &reader) {
  std::vector<std::int64_t> steps;
  while (const auto event = reader.next())
    if (event->kind == EventKind::summary)
      steps.push_back(event->step);
  return steps;
}

TEST(EventReader, FollowsAFileThatIsBeingWritten) {
  const TempDir directory;
  EventWriter writer(directory.path());
  EventReader reader(writer.file());
  EXPECT_TRUE(stepsLeft(reader).empty());
  EXPECT_EQ(reader.state(), ReadState::end);
  for (int step = 1; step < 4; ++step) {
    writer.scalar(kLoss, Step(step), 1);
    ASSERT_EQ(writer.flush(), SinkError::none);
    EXPECT_THAT(stepsLeft(reader), ElementsAre(step));
  }
}

TEST(EventReader, ARecordThatIsNoEventIsDamageAndCanBePassed) {
  tests::StringSink sink;
  RecordWriter writer(sink);
  ASSERT_EQ(writer.append("\x10\x01"), SinkError::none);
  ASSERT_EQ(writer.append("\xff"), SinkError::none);
  ASSERT_EQ(writer.append("\x10\x02"), SinkError::none);
  ASSERT_EQ(writer.flush(), SinkError::none);
  StringSource source(sink.bytes);
  EventReader reader(source);
  EXPECT_EQ(reader.next()->step, 1);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.state(), ReadState::damaged);
  EXPECT_EQ(reader.damage().kind, Damage::Kind::notAnEvent);
  EXPECT_EQ(reader.damage().offset, 18u);
  EXPECT_EQ(reader.resync(), 17u);
  EXPECT_EQ(reader.next()->step, 2);
}

TEST(EventReader, SaysWhichFileCannotBeOpened) {
  try {
    EventReader reader(fs::path("/no/such/file"));
    FAIL();
  } catch (const std::system_error &error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/no/such/file"));
  }
}

TEST(RunReader, JoinsFilesAndTakesUpNewOnes) {
  const TempDir directory;
  RunReader reader(directory.path());
  EXPECT_FALSE(reader.next());
  EventWriterOptions options;
  options.clock = tests::FakeClock(1.7e9);
  std::vector<std::unique_ptr<EventWriter>> writers;
  for (int start = 0; start < 3; ++start) {
    writers.push_back(std::make_unique<EventWriter>(directory.path(), options));
    writers.back()->scalar(kLoss, Step(start), 1);
    ASSERT_EQ(writers.back()->flush(), SinkError::none);
    EXPECT_THAT(stepsLeft(reader), ElementsAre(start));
    EXPECT_EQ(reader.file(), writers.back()->file());
  }
}

TEST(RunReader, ReadsAFilesLastRecordsBeforeTheNextFile) {
  const TempDir directory;
  RunReader reader(directory.path());
  EventWriterOptions options;
  options.rotateBytes = 300;
  EventWriter writer(directory.path(), options);
  std::vector<std::int64_t> steps;
  for (int step = 0; step < 100; ++step) {
    writer.scalar(kLoss, Step(step), 1);
    if (step % 7 == 0)
      for (const auto found : stepsLeft(reader))
        steps.push_back(found);
  }
  ASSERT_EQ(writer.close(), SinkError::none);
  for (const auto found : stepsLeft(reader))
    steps.push_back(found);
  ASSERT_EQ(steps.size(), 100u);
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
}

TEST(RunReader, DamageEndsOnlyTheFileItIsIn) {
  const TempDir directory;
  EventWriterOptions options;
  options.clock = tests::FakeClock(1.7e9);
  for (int start = 0; start < 2; ++start) {
    EventWriter writer(directory.path(), options);
    for (int i = 0; i < 3; ++i)
      writer.scalar(kLoss, Step(10 * start + i), 1);
  }
  const auto files = eventFilesIn(directory.path());
  std::fstream file(files[0], std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(fs::file_size(files[0])) - 50);
  file.put('!');
  file.close();
  RunReader reader(directory.path());
  EXPECT_THAT(stepsLeft(reader), ElementsAre(0, 10, 11, 12));
  ASSERT_EQ(reader.damages().size(), 1u);
  EXPECT_EQ(reader.damages()[0].file, files[0]);
}

} // namespace
} // namespace popscope::summary
