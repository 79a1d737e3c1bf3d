#include "summary/records/record_format.hpp"
#include "summary/records/record_writer.hpp"
#include "tests/support/hex.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/string_sink.hpp"
#include "tests/support/string_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::summary {
namespace {

using testing::ElementsAre;
using tests::StringSink;
using tests::StringSource;

std::vector<std::string> readRecords(const std::string &bytes) {
  StringSource source(bytes);
  return tests::readPayloads(source);
}

TEST(RecordWriter, FramesLikeTensorBoard) {
  StringSink sink;
  RecordWriter writer(sink);
  const std::string payload =
      tests::fromHex("09 00 00 00 00 84 d7 d7 41 1a 0d 62 72 61 69 6e 2e 45 76 "
                     "65 6e 74 3a 32");
  ASSERT_EQ(writer.append(payload), SinkError::none);
  ASSERT_EQ(writer.flush(), SinkError::none);
  EXPECT_EQ(tests::toHex(sink.bytes),
            tests::toHex(tests::fromHex("18 00 00 00 00 00 00 00 a3 7f 4b 22") +
                         payload + tests::fromHex("25 3c 71 d0")));
}

TEST(RecordWriter, GivesNothingToTheSinkBeforeItIsFlushed) {
  StringSink sink;
  RecordWriter writer(sink);
  ASSERT_EQ(writer.append("one"), SinkError::none);
  EXPECT_EQ(sink.bytes, "");
  EXPECT_EQ(writer.bytesCommitted(), 3 + kFrameBytes);
  ASSERT_EQ(writer.append("two"), SinkError::none);
  ASSERT_EQ(writer.flush(), SinkError::none);
  EXPECT_THAT(readRecords(sink.bytes), ElementsAre("one", "two"));
  EXPECT_THAT(sink.appends, ElementsAre(2 * (3 + kFrameBytes)));
}

TEST(RecordWriter, EveryAppendToTheSinkEndsWithARecord) {
  StringSink sink;
  RecordWriter writer(sink);
  std::size_t written = 0;
  for (std::size_t i = 0; i < 2000; ++i, ++written)
    ASSERT_EQ(writer.append(std::string(i, 'x')), SinkError::none);
  ASSERT_EQ(writer.flush(), SinkError::none);
  ASSERT_GT(sink.appends.size(), 3u);
  std::size_t end = 0, records = 0;
  for (const std::size_t size : sink.appends) {
    const auto part = readRecords(sink.bytes.substr(end, size));
    std::size_t partBytes = 0;
    for (const auto &payload : part)
      partBytes += payload.size() + kFrameBytes;
    EXPECT_EQ(partBytes, size);
    records += part.size();
    end += size;
  }
  EXPECT_EQ(records, written);
}

TEST(RecordWriter, TakesRecordsLongerThanItsBuffer) {
  StringSink sink;
  RecordWriter writer(sink);
  const std::string large(3 * RecordWriter::kBufferBytes, 'L');
  ASSERT_EQ(writer.append("before"), SinkError::none);
  ASSERT_EQ(writer.append(large), SinkError::none);
  ASSERT_EQ(writer.append("after"), SinkError::none);
  ASSERT_EQ(writer.flush(), SinkError::none);
  EXPECT_THAT(readRecords(sink.bytes), ElementsAre("before", large, "after"));
}

TEST(RecordWriter, CutAnywhereInLastRecordLosesOnlyThatRecord) {
  StringSink sink;
  RecordWriter writer(sink);
  ASSERT_EQ(writer.append("first"), SinkError::none);
  const auto whole = writer.bytesCommitted();
  ASSERT_EQ(writer.append("second"), SinkError::none);
  ASSERT_EQ(writer.flush(), SinkError::none);
  for (auto end = whole; end < sink.bytes.size(); ++end)
    EXPECT_THAT(readRecords(sink.bytes.substr(0, end)), ElementsAre("first"))
        << end;
}

TEST(RecordWriter, StaysFailedUntilItGoesOnElsewhere) {
  StringSink sink;
  sink.capacity = 30;
  RecordWriter writer(sink);
  ASSERT_EQ(writer.append("first"), SinkError::none);
  ASSERT_EQ(writer.flush(), SinkError::none);
  ASSERT_EQ(writer.append("second"), SinkError::none);
  EXPECT_EQ(writer.flush(), SinkError::diskFull);
  sink.capacity = 1000;
  EXPECT_EQ(writer.flush(), SinkError::diskFull);
  EXPECT_EQ(writer.append("third"), SinkError::diskFull);
  EXPECT_EQ(writer.reserve(RecordWriter::kBufferBytes), nullptr);
  EXPECT_FALSE(writer.closeFromSignal());
  EXPECT_THAT(readRecords(sink.bytes), ElementsAre("first"));
  StringSink full, next;
  full.capacity = 40;
  EXPECT_EQ(writer.goOn(full, "begin"), SinkError::diskFull);
  EXPECT_EQ(writer.goOn(next, "begin"), SinkError::none);
  EXPECT_EQ(writer.append("fourth"), SinkError::none);
  EXPECT_EQ(writer.flush(), SinkError::none);
  EXPECT_THAT(readRecords(next.bytes),
              ElementsAre("begin", "second", "third", "fourth"));
}

TEST(RecordWriter, ClosedFromASignalHasWrittenAllAndTakesNoMore) {
  StringSink sink;
  RecordWriter writer(sink);
  ASSERT_EQ(writer.append("first"), SinkError::none);
  // A handler that interrupts between reserve and commit must not see the
  // half-made record.
  ASSERT_NE(writer.reserve(6), nullptr);
  EXPECT_TRUE(writer.closeFromSignal());
  EXPECT_THAT(readRecords(sink.bytes), ElementsAre("first"));
  writer.commit(6);
  EXPECT_EQ(writer.flush(), SinkError::closed);
  EXPECT_EQ(writer.append("third"), SinkError::closed);
  EXPECT_FALSE(writer.closeFromSignal());
  EXPECT_THAT(readRecords(sink.bytes), ElementsAre("first"));
}

TEST(RecordWriter, SwitchesSinksBetweenRecords) {
  StringSink one, two;
  RecordWriter writer(one);
  ASSERT_EQ(writer.append("first"), SinkError::none);
  ASSERT_EQ(writer.switchTo(two), SinkError::none);
  ASSERT_EQ(writer.append("second"), SinkError::none);
  ASSERT_EQ(writer.flush(), SinkError::none);
  EXPECT_THAT(readRecords(one.bytes), ElementsAre("first"));
  EXPECT_THAT(readRecords(two.bytes), ElementsAre("second"));
}

} // namespace
} // namespace popscope::summary
