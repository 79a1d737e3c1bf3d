#include "summary/event_writer.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/in_memory_writer.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <thread>

namespace popscope::summary {
namespace {

using testing::ElementsAre;
using tests::FakeClock;
using tests::InMemoryWriter;
using tests::readEvents;
using tests::readRun;
using tests::stepsOf;
using tests::TempDir;
using tests::valuesOf;

const Tag kLoss("loss");

TEST(EventWriter, BeginsAFileWithVersionWriterAndSessionStart) {
  const TempDir directory;
  EventWriter(directory.path() / "new/run");
  const auto events = readRun(directory.path() / "new/run");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  EXPECT_EQ(events[0].source_metadata().writer(), "popscope");
  EXPECT_EQ(events[0].step(), 0);
  EXPECT_EQ(events[1].session_log().status(), proto::SessionLog::START);
  EXPECT_EQ(events[1].step(), 0);
}

// Which destroys nothing on the stack.
TEST(EventWriterDeathTest, StdExitFlushes) {
  const TempDir directory;
  EXPECT_EXIT(
      {
        EventWriter writer(directory.path());
        writer.scalar(kLoss, Step(7), 0.5F);
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
  EXPECT_THAT(stepsOf(readRun(directory.path()), "loss"), ElementsAre(7));
}

TEST(EventWriter, EveryStartWritesANewFileThatSortsLast) {
  const TempDir directory;
  EventWriterOptions options;
  options.clock = FakeClock(1.7e9); // all starts in one second
  for (int start = 0; start < 3; ++start) {
    EventWriter writer(directory.path(), options);
    writer.scalar(kLoss, Step(start), 1);
    EXPECT_EQ(eventFilesIn(directory.path()).back(), writer.file());
  }
  EXPECT_EQ(eventFilesIn(directory.path()).size(), 3u);
  EXPECT_THAT(stepsOf(readRun(directory.path()), "loss"), ElementsAre(0, 1, 2));
}

TEST(EventWriter, OnlyTheFirstStartOfARunAndAResumeAreSessionStarts) {
  const TempDir directory;
  for (int start = 0; start < 3; ++start) {
    EventWriter writer(directory.path());
    if (start == 2)
      writer.resume(Step(500));
  }
  std::vector<std::int64_t> starts;
  for (const auto &event : readRun(directory.path()))
    if (event.has_session_log())
      starts.push_back(event.step());
  EXPECT_THAT(starts, ElementsAre(0, 500));
}

TEST(EventWriter, ValuesOfABatchShareAnEvent) {
  const TempDir directory;
  {
    EventWriter writer(directory.path());
    EventBatch batch(Step(7), WallTime(123.5));
    batch.add(kLoss, 0.5F);
    batch.add(Tag("note"), Markdown{"*hello*"});
    writer.write(batch);
    writer.write(EventBatch(Step(8))); // nothing in it: no event
  }
  const auto events = readRun(directory.path());
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[2].wall_time(), 123.5);
  EXPECT_EQ(events[2].step(), 7);
  ASSERT_EQ(events[2].summary().value_size(), 2);
  EXPECT_EQ(events[2].summary().value(0).simple_value(), 0.5F);
  EXPECT_EQ(events[2].summary().value(1).tensor().string_val(0), "*hello*");
}

TEST(EventWriter, ScalarsOfACallShareAnEventWithTheBytesOfABatch) {
  const Tag accuracy("accuracy");
  InMemoryWriter one, other;
  one.writer->scalars(Step(7), {{{&kLoss, 0.5F}, {&accuracy, 0.25F}}});
  one.writer->scalars(Step(8), {}); // nothing in it: no event
  EventBatch batch(Step(7));
  batch.add(kLoss, 0.5F);
  batch.add(accuracy, 0.25F);
  other.writer->write(batch);
  ASSERT_EQ(one.writer->close(), SinkError::none);
  ASSERT_EQ(other.writer->close(), SinkError::none);
  EXPECT_EQ(one.bytes(), other.bytes());
}

TEST(EventWriter, FiftyScalarsOfAStepCostAtMostThirtyBytesEachBeyondTheirTags) {
  InMemoryWriter memory;
  const std::size_t before = memory.bytes().size();
  EventBatch batch(Step(1'000'000));
  std::size_t tagBytes = 0;
  for (int i = 0; i < 50; ++i) {
    const Tag tag("layer_" + std::to_string(i) + "/mean");
    tagBytes += tag.name().size();
    batch.add(tag, float(i));
  }
  memory.writer->write(batch);
  ASSERT_EQ(memory.writer->flush(), SinkError::none);
  const double each = double(memory.bytes().size() - before - tagBytes) / 50;
  EXPECT_LE(each, 30);
}

TEST(EventWriter, MetadataGoWithATagsFirstValueInEachFile) {
  const TempDir directory;
  for (int start = 0; start < 2; ++start) {
    EventWriter writer(directory.path());
    for (int step = 0; step < 3; ++step)
      writer.text(Tag("note"), Step(step), "text");
  }
  for (const auto &file : eventFilesIn(directory.path())) {
    const auto values = valuesOf(readEvents(file), "note");
    ASSERT_EQ(values.size(), 3u);
    EXPECT_EQ(values[0].metadata().plugin_data().plugin_name(), "text");
    EXPECT_FALSE(values[1].has_metadata());
    EXPECT_FALSE(values[2].has_metadata());
  }
}

TEST(EventWriter, DescribedScalarIsATensorSinceTheFastLoaderWantsOne) {
  const TempDir directory;
  {
    EventWriter writer(directory.path());
    writer.add(kLoss, Step(1),
               toValue(0.5F).described("Loss", "of *training*"));
    writer.scalar(kLoss, Step(2), 0.25F);
  }
  const auto values = valuesOf(readRun(directory.path()), "loss");
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].metadata().display_name(), "Loss");
  EXPECT_EQ(values[0].metadata().summary_description(), "of *training*");
  EXPECT_EQ(values[0].tensor().dtype(), proto::DT_FLOAT);
  EXPECT_EQ(values[0].tensor().float_val(0), 0.5F);
  EXPECT_EQ(values[1].simple_value(), 0.25F);
}

TEST(EventWriter, RefusesASecondKindUnderOneTagAndStaysUsable) {
  const TempDir directory;
  EventWriter writer(directory.path());
  writer.scalar(kLoss, Step(1), 1);
  EventBatch batch(Step(2));
  batch.add(Tag("other"), 1.0F);
  batch.add(kLoss, Markdown{"text"});
  EXPECT_THROW(writer.write(batch), std::invalid_argument);
  const Tag note("note"), other("other");
  writer.text(note, Step(2), "text");
  EXPECT_THROW(writer.scalars(Step(2), {{{&other, 1.0F}, {&note, 1.0F}}}),
               std::invalid_argument);
  writer.scalar(kLoss, Step(3), 3);
  EXPECT_EQ(writer.close(), SinkError::none);
  const auto events = readRun(directory.path());
  EXPECT_THAT(stepsOf(events, "loss"), ElementsAre(1, 3));
  EXPECT_TRUE(valuesOf(events, "other").empty()) << "no part of a bad batch";
}

TEST(EventWriter, NonFiniteScalarsAreWrittenAsTheyAre) {
  const TempDir directory;
  {
    EventWriter writer(directory.path());
    writer.scalar(kLoss, Step(1), std::numeric_limits<float>::quiet_NaN());
    writer.scalar(kLoss, Step(2), -std::numeric_limits<float>::infinity());
  }
  const auto values = valuesOf(readRun(directory.path()), "loss");
  EXPECT_TRUE(std::isnan(values.at(0).simple_value()));
  EXPECT_EQ(values.at(1).simple_value(),
            -std::numeric_limits<float>::infinity());
}

TEST(EventWriter, HistogramSendsCountsOfNonFiniteBesideFiniteBuckets) {
  const TempDir directory;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  {
    EventWriter writer(directory.path());
    const std::vector<float> bad{1, nan, 2, inf, -inf, inf, 3};
    writer.histogram(Tag("w"), Step(1), bad);
    const std::vector<float> good{1, 2};
    writer.histogram(Tag("v"), Step(1), good);
  }
  const auto events = readRun(directory.path());
  const auto tensor = valuesOf(events, "w").at(0).tensor();
  ASSERT_EQ(tensor.tensor_shape().dim(0).size(), 30);
  std::vector<double> rows(90);
  std::memcpy(rows.data(), tensor.tensor_content().data(), 90 * 8);
  for (const double number : rows)
    EXPECT_TRUE(std::isfinite(number));
  EXPECT_EQ(rows.front(), 1);
  EXPECT_EQ(rows[3 * 29 + 1], 3);
  EXPECT_EQ(valuesOf(events, "w/nan").at(0).simple_value(), 1);
  EXPECT_EQ(valuesOf(events, "w/pos_inf").at(0).simple_value(), 2);
  EXPECT_EQ(valuesOf(events, "w/neg_inf").at(0).simple_value(), 1);
  EXPECT_TRUE(valuesOf(events, "v/nan").empty());
}

TEST(EventWriter, ThreadsMayWriteAtOnce) {
  const TempDir directory;
  constexpr int kThreads = 4, kValues = 2000;
  {
    EventWriterOptions options;
    options.rotateBytes = 50'000;
    EventWriter writer(directory.path(), options);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&writer, t] {
        const Tag tag("thread_" + std::to_string(t));
        for (int i = 0; i < kValues; ++i) {
          writer.scalar(tag, Step(i), float(i));
          if (i % 100 == 0)
            writer.text(tag / "note", Step(i), "text");
        }
      });
    for (auto &thread : threads)
      thread.join();
    EXPECT_EQ(writer.close(), SinkError::none);
    EXPECT_EQ(writer.dropped(), 0u);
  }
  const auto events = readRun(directory.path());
  for (int t = 0; t < kThreads; ++t) {
    const auto steps = stepsOf(events, "thread_" + std::to_string(t));
    ASSERT_EQ(steps.size(), std::size_t(kValues));
    EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
  }
}

TEST(EventWriter, RunLevelRecordsAreWhereTensorBoardLooksForThem) {
  const TempDir directory;
  {
    EventWriter writer(directory.path());
    writer.graph({{{"a", "Op", {}, {}, "", {}, {}}}});
    NodeCost cost;
    cost.node = "a";
    writer.profile("step1", Step(1), {{cost}});
    writer.layers({"model", {{"dense", "Dense", {}}}});
    writer.hparams({{{"lr", 0.1}}, "", WallTime(1)});
    writer.sessionEnd({SessionStatus::success, WallTime(2)});
    writer.layout({{{"c", {LinesChart{"t", {"loss"}}}}}});
    writer.experiment({});
  }
  const auto events = readRun(directory.path());
  ASSERT_EQ(events.size(), 9u);
  EXPECT_FALSE(events[2].graph_def().empty());
  EXPECT_EQ(events[3].tagged_run_metadata().tag(), "step1");
  const auto plugin = [&](int event) {
    return events[event].summary().value(0).metadata().plugin_data();
  };
  EXPECT_EQ(plugin(4).plugin_name(), "graph_keras_model");
  EXPECT_EQ(plugin(4).content(), "1");
  EXPECT_EQ(events[5].summary().value(0).tag(), "_hparams_/session_start_info");
  EXPECT_EQ(events[6].summary().value(0).tag(), "_hparams_/session_end_info");
  EXPECT_EQ(events[7].summary().value(0).tag(), "custom_scalars__config__");
  EXPECT_EQ(plugin(7).plugin_name(), "custom_scalars");
  EXPECT_EQ(events[8].summary().value(0).tag(), "_hparams_/experiment");
}

} // namespace
} // namespace popscope::summary
