#include "host/events/reading/file_walk.hpp"
#include "summary/proto/event.pb.h"
#include "summary/records/record_writer.hpp"
#include "tests/support/string_sink.hpp"
#include "tests/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <random>
#include <sstream>

namespace popscope::host::events {
namespace {

namespace fs = std::filesystem;
namespace proto = summary::proto;
using summary::EventKind;

// All that is known after reading a file, as text.
std::string described(const FileState &file, const RunIndex &index) {
  std::ostringstream text;
  text << file.bytes << " bytes, " << file.records << " records, "
       << file.recordsBeforeDamage << " before damage, torn " << file.tornBytes
       << " of " << file.tornNeeded << '\n';
  for (const Gap &gap : file.gaps)
    text << describe(gap.damage) << ", " << gap.bytes << " bytes\n";
  for (const TagSeries &tag : index.tags()) {
    const TagCounts &counts = tag.counts;
    text << tag.tag << ' ' << tag.kind << ' ' << tag.metadata.size() << ": "
         << counts.values() << ' ' << counts.bytes() << ' '
         << counts.firstStep() << ' ' << counts.lastStep() << ' '
         << counts.minStep() << ' ' << counts.maxStep() << ' '
         << counts.outOfOrder() << ' ' << counts.repeated() << '\n';
  }
  for (const EventKind kind :
       {EventKind::none, EventKind::fileVersion, EventKind::graphDef,
        EventKind::summary, EventKind::sessionLog})
    text << index.events(kind) << ' ';
  text << index.badTimes() << ' ' << index.badSummaries() << '\n';
  return text.str();
}

std::string readByOneThread(const fs::path &file) {
  FileWalk walk({});
  RunIndex index;
  const FileState state = walk.walk(
      file, [&](const auto &event, const auto &) { index.add(event); });
  return described(state, index);
}

std::string readInParts(const fs::path &file, std::size_t threads) {
  FileWalk walk({}, {threads, 1});
  RunIndex index;
  const FileState state = walk.index(file, index);
  return described(state, index);
}

std::string framed(const std::vector<std::string> &payloads) {
  tests::StringSink sink;
  summary::RecordWriter writer(sink);
  for (const std::string &payload : payloads)
    EXPECT_EQ(writer.append(payload), summary::SinkError::none);
  EXPECT_EQ(writer.flush(), summary::SinkError::none);
  return sink.bytes;
}

void addScalar(proto::Event &event, const std::string &tag) {
  auto *value = event.mutable_summary()->add_value();
  value->set_tag(tag);
  value->set_simple_value(float(event.step()));
}

void addTensor(proto::Event &event, const std::string &tag,
               const std::string &content) {
  auto *value = event.mutable_summary()->add_value();
  value->set_tag(tag);
  value->mutable_tensor()->set_tensor_content(content);
}

// Events of all sizes, with steps that go back, tags that come late and kinds
// that only a tag's first value tells.
std::vector<std::string> mixedEvents(int count) {
  std::mt19937 random(7);
  std::vector<std::string> payloads;
  for (int i = 0; i < count; ++i) {
    proto::Event event;
    event.set_wall_time(i % 50 == 3 ? std::numeric_limits<double>::infinity()
                                    : 1.6e9 + i);
    event.set_step(i / 3 - int(random() % 9 == 0) * 4);
    switch (random() % 6) {
    case 0:
      for (unsigned tag = 0; tag < random() % 40; ++tag)
        addScalar(event, "layer_" + std::to_string(tag) + "/mean");
      break;
    case 1:
      addTensor(event, "late_" + std::to_string(i / 20),
                std::string(random() % 300, 'x'));
      if (i % 20 == 0)
        event.mutable_summary()
            ->mutable_value(0)
            ->mutable_metadata()
            ->mutable_plugin_data()
            ->set_plugin_name("histograms");
      break;
    case 2:
      event.mutable_session_log()->set_status(proto::SessionLog::START);
      break;
    default:
      addScalar(event, "loss");
    }
    payloads.push_back(event.SerializeAsString());
  }
  return payloads;
}

class FileParts : public ::testing::Test {
protected:
  void expectSameAsOneThread(const std::string &bytes,
                             const std::string &what) {
    const fs::path file = directory_.file("a.tfevents", bytes);
    const std::string expected = readByOneThread(file);
    for (const std::size_t threads : {1u, 2u, 7u})
      ASSERT_EQ(readInParts(file, threads), expected)
          << what << ", read by " << threads << " threads";
  }

  tests::TempDir directory_;
};

TEST_F(FileParts, GiveWhatOneThreadFinds) {
  expectSameAsOneThread(framed(mixedEvents(400)), "a whole file");
  expectSameAsOneThread("", "an empty file");
  expectSameAsOneThread(std::string(20'000, 'x'), "no event file");
  expectSameAsOneThread(std::string(20'000, '\0'), "zeros");
}

TEST_F(FileParts, MayBeMoreThanTheFileHasRecords) {
  const fs::path file = directory_.file("a.tfevents", framed(mixedEvents(4)));
  EXPECT_EQ(readInParts(file, 60), readByOneThread(file));
}

TEST_F(FileParts, TellTheSameOfAFileCutAnywhere) {
  const std::string bytes = framed(mixedEvents(60));
  for (std::size_t cut = bytes.size() - 400; cut < bytes.size(); ++cut)
    expectSameAsOneThread(bytes.substr(0, cut), std::to_string(cut) + " bytes");
}

TEST_F(FileParts, TellTheSameOfDamageAnywhere) {
  const std::string bytes = framed(mixedEvents(60));
  std::mt19937 random(3);
  for (std::size_t at = 0; at < bytes.size(); at += 1 + random() % 60) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << random() % 8);
    expectSameAsOneThread(damaged, "byte " + std::to_string(at) + " altered");
  }
}

TEST_F(FileParts, TellTheSameOfScalarsInTheSameOrderAtEveryStep) {
  for (const int together : {1, 3}) {
    std::vector<std::string> payloads;
    for (int step = 100; step < 150; ++step)
      for (int first = 0; first < 6; first += together) {
        proto::Event event;
        event.set_wall_time(1.6e9 + step);
        event.set_step(step);
        for (int tag = first; tag < first + together; ++tag)
          addScalar(event, "layer_" + std::to_string(tag) + "/mean");
        payloads.push_back(event.SerializeAsString());
      }
    const std::string bytes = framed(payloads);
    expectSameAsOneThread(bytes, "a whole file");
    std::mt19937 random(9);
    for (std::size_t at = 0; at < bytes.size(); at += 1 + random() % 200) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << random() % 8);
      expectSameAsOneThread(damaged, "byte " + std::to_string(at) + " altered");
    }
  }
}

TEST_F(FileParts, TellTheSameOfMuchDamage) {
  std::string bytes = framed(mixedEvents(300));
  std::mt19937 random(4);
  for (int i = 0; i < 40; ++i)
    bytes[random() % bytes.size()] ^= 0x10;
  bytes.insert(bytes.size() / 2, std::string(5000, '\0'));
  expectSameAsOneThread(bytes, "many places altered");
}

TEST_F(FileParts, AreNotMisledByRecordsInsideARecord) {
  proto::Event inner;
  inner.set_step(1000);
  addScalar(inner, "loss");
  addTensor(inner, "late_3", "not what it is elsewhere");
  inner.mutable_summary()
      ->mutable_value(1)
      ->mutable_metadata()
      ->mutable_plugin_data()
      ->set_plugin_name("text");
  const std::string file =
      framed(std::vector<std::string>(50, inner.SerializeAsString()));
  proto::Event outer;
  addTensor(outer, "a file in a tensor", file);
  auto payloads = mixedEvents(100);
  payloads.insert(payloads.begin() + 5, outer.SerializeAsString());
  payloads.insert(payloads.begin() + 50, outer.SerializeAsString());
  expectSameAsOneThread(framed(payloads), "records in records");
}

TEST_F(FileParts, SeeRecordsThatAreNoEvents) {
  auto payloads = mixedEvents(100);
  payloads.insert(payloads.begin() + 70, "\xff\xff not an event");
  payloads.insert(payloads.begin() + 30, "\xff\xff not an event");
  expectSameAsOneThread(framed(payloads), "two records that are no events");
}

} // namespace
} // namespace popscope::host::events
