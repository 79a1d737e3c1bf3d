#include "summary/records/record_format.hpp"
#include "summary/records/record_reader.hpp"
#include "summary/records/record_writer.hpp"
#include "tests/support/string_sink.hpp"
#include "tests/support/string_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace popscope::summary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tests::StringSink;
using tests::StringSource;

std::string framed(const std::vector<std::string> &payloads) {
  StringSink sink;
  RecordWriter writer(sink);
  for (const auto &payload : payloads)
    EXPECT_EQ(writer.append(payload), SinkError::none);
  EXPECT_EQ(writer.flush(), SinkError::none);
  return sink.bytes;
}

const std::vector<std::string> kPayloads{"first", "", "third record", "4"};

TEST(RecordReader, ReadsWhatWasWritten) {
  for (const std::size_t piece : {1u, 7u, 1000u}) {
    StringSource source(framed(kPayloads), piece);
    RecordReader reader(source);
    std::uint64_t offset = 0;
    for (const std::string &payload : kPayloads) {
      ASSERT_EQ(reader.next(), ReadState::record);
      EXPECT_EQ(reader.payload(), payload);
      EXPECT_EQ(reader.offset(), offset);
      offset += payload.size() + kFrameBytes;
    }
    EXPECT_EQ(reader.next(), ReadState::end);
    EXPECT_EQ(reader.offset(), offset);
  }
}

TEST(RecordReader, CutAtEveryByteGivesTheWholeRecordsAndSaysWhatIsMissing) {
  const std::string bytes = framed(kPayloads);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    StringSource source(bytes.substr(0, cut));
    RecordReader reader(source);
    std::uint64_t end = 0;
    std::size_t whole = 0;
    while (reader.next() == ReadState::record) {
      ASSERT_EQ(reader.payload(), kPayloads[whole]);
      end += kPayloads[whole++].size() + kFrameBytes;
    }
    const ReadState state = reader.next();
    EXPECT_EQ(reader.offset(), end) << cut;
    if (cut == end) {
      EXPECT_EQ(state, ReadState::end) << cut;
      continue;
    }
    ASSERT_EQ(state, ReadState::tornTail) << cut;
    EXPECT_EQ(reader.tornBytes(), cut - end);
    EXPECT_EQ(reader.tornNeeded(), cut - end < kHeaderBytes
                                       ? kHeaderBytes
                                       : kPayloads[whole].size() + kFrameBytes);
    // The rest arrives.
    source.grow(bytes.substr(cut));
    while (reader.next() == ReadState::record)
      ++whole;
    EXPECT_EQ(whole, kPayloads.size()) << cut;
  }
}

TEST(RecordReader, EveryFlippedBitIsReportedAtItsRecordAndTheOthersSurvive) {
  const std::string bytes = framed(kPayloads);
  std::vector<std::uint64_t> starts;
  for (std::uint64_t at = 0, i = 0; i < kPayloads.size(); ++i) {
    starts.push_back(at);
    at += kPayloads[i].size() + kFrameBytes;
  }
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    std::size_t hit = starts.size() - 1;
    while (starts[hit] > bit / 8)
      --hit;

    StringSource source(damaged);
    RecordReader reader(source);
    for (std::size_t i = 0; i < hit; ++i) {
      ASSERT_EQ(reader.next(), ReadState::record) << bit;
      ASSERT_EQ(reader.payload(), kPayloads[i]);
    }
    ASSERT_EQ(reader.next(), ReadState::damaged) << bit;
    ASSERT_EQ(reader.next(), ReadState::damaged) << "does not go on by itself";
    EXPECT_EQ(reader.damage().offset, starts[hit]) << bit;
    const bool inHeader = bit / 8 - starts[hit] < kHeaderBytes;
    EXPECT_EQ(reader.damage().kind,
              inHeader ? Damage::Kind::lengthCrc : Damage::Kind::dataCrc)
        << bit;
    EXPECT_NE(reader.damage().stored, reader.damage().computed);

    EXPECT_EQ(reader.resync(), kPayloads[hit].size() + kFrameBytes) << bit;
    for (std::size_t i = hit + 1; i < kPayloads.size(); ++i) {
      ASSERT_EQ(reader.next(), ReadState::record) << bit;
      EXPECT_EQ(reader.payload(), kPayloads[i]);
    }
    EXPECT_EQ(reader.next(), ReadState::end) << bit;
  }
}

// Everything a reader reports about some bytes, as text.
std::string allOf(const std::string &bytes, std::size_t piece) {
  StringSource source(bytes, piece);
  RecordReader reader(source);
  std::string text;
  while (true) {
    const ReadState state = reader.next();
    text += std::to_string(reader.offset()) + ": ";
    switch (state) {
    case ReadState::record:
      text += std::string(reader.payload()) + "\n";
      EXPECT_EQ(reader.nextOffset(),
                reader.offset() + reader.payload().size() + kFrameBytes);
      continue;
    case ReadState::damaged:
      text += describe(reader.damage()) + ", ";
      text += std::to_string(reader.resync()) + " bytes\n";
      continue;
    case ReadState::end:
      return text + "end";
    case ReadState::tornTail:
      return text + "torn, " + std::to_string(reader.tornBytes()) + " of " +
             std::to_string(reader.tornNeeded());
    }
  }
}

TEST(RecordReader, ReportsTheSameWhateverPiecesTheBytesArriveIn) {
  std::vector<std::string> payloads;
  for (std::size_t i = 0; i < 20; ++i)
    payloads.emplace_back(i % 4 == 3 ? i : 10, static_cast<char>('a' + i));
  const std::string bytes = framed(payloads);
  const auto expectSame = [](const std::string &altered) {
    for (const std::size_t piece : {1u, 50u})
      ASSERT_EQ(allOf(altered, piece), allOf(altered, 1000));
  };
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut)
    expectSame(bytes.substr(0, cut));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] ^= static_cast<char>(1 << at % 8);
    expectSame(damaged);
  }
}

TEST(RecordReader, FindsTheNextRecordBehindForeignBytes) {
  StringSource source(framed({"one"}) + std::string(1000, '\0') +
                      framed({"two"}));
  RecordReader reader(source);
  ASSERT_EQ(reader.next(), ReadState::record);
  ASSERT_EQ(reader.next(), ReadState::damaged);
  EXPECT_EQ(reader.resync(), 1000u);
  ASSERT_EQ(reader.next(), ReadState::record);
  EXPECT_EQ(reader.payload(), "two");
}

TEST(RecordReader, GivesUpTheRestIfNoRecordFollows) {
  StringSource source(framed({"one"}) + "this is no record at all");
  RecordReader reader(source);
  ASSERT_EQ(reader.next(), ReadState::record);
  ASSERT_EQ(reader.next(), ReadState::damaged);
  EXPECT_EQ(reader.resync(), 24u);
  EXPECT_EQ(reader.next(), ReadState::end);
}

TEST(RecordReader, FindsTheNextRecordFromAnywhereBeforeALimit) {
  const std::string bytes = framed(kPayloads);
  for (std::size_t from = 0; from < bytes.size(); ++from) {
    std::uint64_t expected = 0; // where the first record at or behind it begins
    std::size_t record = 0;
    while (record < kPayloads.size() && expected < from)
      expected += kPayloads[record++].size() + kFrameBytes;
    for (const std::uint64_t limit :
         {std::uint64_t(bytes.size()), expected + 1, expected}) {
      StringSource source(bytes.substr(from), 5);
      RecordReader reader(source, from);
      const bool isThere = record < kPayloads.size() && expected < limit;
      ASSERT_EQ(reader.findRecord(limit), isThere) << from << ' ' << limit;
      if (!isThere)
        continue;
      EXPECT_EQ(reader.offset(), expected) << from;
      ASSERT_EQ(reader.next(), ReadState::record);
      EXPECT_EQ(reader.payload(), kPayloads[record]);
      EXPECT_EQ(reader.nextOffset(),
                expected + kPayloads[record].size() + kFrameBytes);
    }
  }
}

std::string headerFor(std::uint64_t length) {
  char header[kHeaderBytes];
  storeHeader(header, length);
  return {header, sizeof header};
}

TEST(RecordReader, DoesNotAllocateWhatALengthPromises) {
  StringSource source(headerFor(kMaxPayloadBytes) + "but this is all there is");
  RecordReader reader(source);
  EXPECT_EQ(reader.next(), ReadState::tornTail);
  EXPECT_LE(source.largestRequest(), std::size_t(1) << 20);
  EXPECT_EQ(reader.tornNeeded(), kMaxPayloadBytes + kFrameBytes);
}

TEST(RecordReader, ALengthNoEventCanHaveIsDamage) {
  StringSource source(headerFor(std::uint64_t(1) << 60) + framed({"next"}));
  RecordReader reader(source);
  ASSERT_EQ(reader.next(), ReadState::damaged);
  EXPECT_EQ(reader.damage().kind, Damage::Kind::tooLong);
  EXPECT_EQ(reader.damage().length, std::uint64_t(1) << 60);
  EXPECT_EQ(reader.resync(), kHeaderBytes);
  EXPECT_EQ(reader.next(), ReadState::record);
}

// Valid headers, each of a record that would span all that follows: to check
// every one of them would take minutes.
TEST(RecordReader, AFileOfFalseHeadersIsPassedInTimeThatItsSizeDecides) {
  const std::size_t size = std::size_t(1) << 22;
  std::string bytes(size, 'x');
  for (std::size_t at = 1; at + 4 * kFrameBytes < size; at += kFrameBytes)
    bytes.replace(at, kHeaderBytes, headerFor(size - at - 2 * kFrameBytes));
  StringSource source(bytes);
  RecordReader reader(source);
  std::uint64_t skipped = 0;
  ReadState state = reader.next();
  for (; state == ReadState::damaged; state = reader.next())
    skipped += reader.resync();
  EXPECT_NE(state, ReadState::record);
  EXPECT_EQ(skipped + reader.tornBytes(), size);
}

TEST(RecordReader, FindsTheRecordAfterAHole) {
  for (const std::size_t zeros : {1u, 11u, 12u, 13u, 1000u, 10'000'000u}) {
    StringSource source("damaged" + std::string(zeros, '\0') +
                        framed({"next"}));
    RecordReader reader(source);
    if (reader.next() == ReadState::damaged)
      reader.resync();
    ASSERT_EQ(reader.next(), ReadState::record) << zeros;
    EXPECT_EQ(reader.payload(), "next");
    EXPECT_EQ(reader.offset(), 7 + zeros);
  }
}

TEST(RecordReader, DescribesDamageInOneLine) {
  std::string bytes = framed({"one", "two"});
  bytes.back() ^= 1;
  StringSource source(bytes);
  RecordReader reader(source);
  ASSERT_EQ(reader.next(), ReadState::record);
  ASSERT_EQ(reader.next(), ReadState::damaged);
  EXPECT_THAT(describe(reader.damage()),
              HasSubstr("record at byte 19: data do not match their CRC "
                        "(length 3, CRC stored "));
}

TEST(RecordReader, ReadsRecordsLongerThanAnyBuffer) {
  const std::string large(5'000'000, 'x');
  StringSource source(framed({"a", large, "b"}), 100'000);
  RecordReader reader(source);
  ASSERT_EQ(reader.next(), ReadState::record);
  ASSERT_EQ(reader.next(), ReadState::record);
  EXPECT_EQ(reader.payload(), large);
  ASSERT_EQ(reader.next(), ReadState::record);
  EXPECT_EQ(reader.payload(), "b");
}

} // namespace
} // namespace popscope::summary
