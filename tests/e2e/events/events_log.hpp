// A small log, and the command popscope events to look into it.
#pragma once

#include "summary/event_writer.hpp"
#include "summary/proto/event.pb.h"
#include "summary/records/file_sink.hpp"
#include "summary/records/record_format.hpp"
#include "summary/records/record_writer.hpp"
#include "tests/support/command.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/temp_dir.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace popscope {

namespace fs = std::filesystem;
using summary::EventBatch;
using summary::EventWriter;
using summary::Step;
using summary::Tag;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kSteps = 4;
constexpr double kStart = 1600000000.0; // seconds

inline std::string readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A log directory with one run, "train", and the command to look into it.
class EventsCommand : public ::testing::Test {
protected:
  void SetUp() override {
    summary::EventWriterOptions options;
    tests::FakeClock clock(kStart);
    options.clock = clock;
    EventWriter writer(logs() / "train", options);
    const std::vector<float> weights = {0, 1, 2, 3, 4};
    const std::uint8_t pixels[] = {0, 85, 170, 255};
    for (int step = 0; step < kSteps; ++step) {
      clock.advance(1);
      EventBatch batch{Step(step)};
      batch.add(Tag("loss"), 1.0F / float(step + 1));
      batch.add(Tag("loss/test"), float(step));
      batch.add(Tag("weights"), summary::uniformHistogram(weights, 2));
      writer.write(batch);
    }
    writer.image(Tag("digit"), Step(2),
                 {2, 2, summary::PixelFormat::grey, pixels});
    writer.text(Tag("note"), Step(0), "a, \"b\"");
    file_ = writer.file();
    ASSERT_EQ(writer.close(), summary::SinkError::none);
  }

  fs::path logs() const { return directory_.path() / "logs"; }
  fs::path file() const { return file_; }
  fs::path newFile() const { return directory_.path() / "new.tfevents.1"; }

  static tests::CommandResult events(const std::string &arguments) {
    return tests::runCommand(std::string(POPSCOPE_COMMAND) + " events " +
                             arguments);
  }

  // Alters one byte of the file.
  void damage(std::size_t offset) const {
    std::fstream bytes(file_, std::ios::binary | std::ios::in | std::ios::out);
    bytes.seekg(static_cast<std::streamoff>(offset));
    const char old = static_cast<char>(bytes.get());
    bytes.seekp(static_cast<std::streamoff>(offset));
    bytes.put(static_cast<char>(~old));
  }
  // Where the record with this number begins.
  std::size_t offsetOf(std::size_t record) const {
    summary::FileSource source(file_);
    std::size_t offset = 0;
    const auto payloads = tests::readPayloads(source);
    for (std::size_t i = 0; i < record; ++i)
      offset += payloads[i].size() + summary::kFrameBytes;
    return offset;
  }

  // A run whose values, one at each step, another writer could have written.
  void addRun(const std::string &name,
              const std::vector<summary::proto::Summary::Value> &values) const {
    fs::create_directory(logs() / name);
    summary::FileSink sink(logs() / name / "events.out.tfevents.1");
    summary::RecordWriter writer(sink);
    const auto append = [&](const summary::proto::Event &event) {
      ASSERT_EQ(writer.append(event.SerializeAsString()),
                summary::SinkError::none);
    };
    summary::proto::Event version;
    version.set_file_version("brain.Event:2");
    append(version);
    for (std::size_t step = 0; step < values.size(); ++step) {
      summary::proto::Event event;
      event.set_step(static_cast<std::int64_t>(step));
      *event.mutable_summary()->add_value() = values[step];
      append(event);
    }
    ASSERT_EQ(writer.flush(), summary::SinkError::none);
  }

  // A run that was stopped after step 3 and continued at step 2.
  void addResumedRun() const {
    for (const int first : {0, 2}) {
      EventWriter writer(logs() / "resumed");
      if (first != 0)
        writer.resume(Step(first));
      for (int step = first; step < first + 4; ++step)
        writer.scalar(Tag("loss"), Step(step), float(10 * first + step));
    }
  }

  tests::TempDir directory_;
  fs::path file_;
};

} // namespace popscope
