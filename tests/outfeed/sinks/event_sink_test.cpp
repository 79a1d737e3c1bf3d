#include "outfeed/sinks/event_sink.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace popscope::outfeed {
namespace {

using graph::TensorKind;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Tap tapOf(const std::string &name, TensorKind kind, unsigned id) {
  Tap tap;
  tap.id = TapId(id);
  tap.tensor.name = name;
  tap.tensor.kind = kind;
  tap.tensor.moment = kind == TensorKind::gradient
                          ? graph::TapMoment::accumulated
                          : graph::TapMoment::applied;
  return tap;
}

TensorSample sampleOf(const std::vector<float> &values) {
  return sampleOfFloats(values);
}

std::set<std::string> tagsIn(const tests::TempDir &directory) {
  std::set<std::string> tags;
  for (const auto &event : tests::readRun(directory.path()))
    for (const auto &value : event.summary().value())
      tags.insert(value.tag());
  return tags;
}

class EventSinkTest : public ::testing::Test {
protected:
  const tests::TempDir directory;
  const Tap weight = tapOf("dense/kernel:0", TensorKind::weight, 0);
  const Tap update = tapOf("dense/kernel:0_update", TensorKind::update, 1);
  const Tap gradient = tapOf("dense/kernel:0_grad", TensorKind::gradient, 2);
  const Tap activation = tapOf("dense_acts", TensorKind::activation, 3);
  const Tap loss = tapOf("loss", TensorKind::loss, 4);
  const std::vector<float> threeFour{3, 4};
  const std::vector<float> small{0.3f, 0.4f};
};

TEST_F(EventSinkTest, OneRunHasEachKindInAGroupAfterTheMetrics) {
  EventSink sink(directory.path().string());
  for (const Tap *tap : {&weight, &update, &gradient, &activation, &loss})
    sink.take(*tap, Update(0), sampleOfFloats(threeFour));
  sink.close({});
  EXPECT_THAT(tagsIn(directory),
              IsSupersetOf({"tapped_activations/dense_acts/mean",
                            "tapped_activations/loss/mean",
                            "tapped_gradients/dense/kernel:0_grad/l2_norm",
                            "tapped_updates/dense/kernel:0_update/histogram",
                            "tapped_weights/dense/kernel:0/max"}));
  EXPECT_EQ(summary::eventFilesIn(directory.path()).size(), 1u);
  for (const std::string &tag : tagsIn(directory))
    for (const char *metric : {"Accuracy", "Loss", "epoch_loss",
                               "evaluation_accuracy", "learning_rate"})
      EXPECT_GT(tag, metric) << "TensorBoard sorts groups by name";
}

TEST_F(EventSinkTest, UpdateIsComparedWithItsWeightAtTheSameUpdate) {
  EventSink sink(directory.path().string());
  sink.take(update, Update(0), sampleOfFloats(small));
  sink.take(weight, Update(0), sampleOfFloats(threeFour));
  sink.take(weight, Update(1), sampleOfFloats(threeFour));
  sink.take(update, Update(2), sampleOfFloats(small)); // of another update
  sink.take(weight, Update(3), sampleOf({0.0f, 0.0f}));
  sink.take(update, Update(3), sampleOfFloats(small)); // relative to nothing
  sink.close({});
  const auto events = tests::readRun(directory.path());
  const std::string tag =
      "tapped_updates/dense/kernel:0_update/ratio_to_weight";
  EXPECT_THAT(tests::stepsOf(events, tag), ElementsAre(0));
  EXPECT_FLOAT_EQ(tests::valuesOf(events, tag).at(0).simple_value(), 0.1f);
}

TEST_F(EventSinkTest, TheFirstFiringOfATensorIsAText) {
  EventSink sink(directory.path().string());
  Tap armed = activation;
  armed.condition = parseCondition("abs_max>1e4");
  sink.takeFiring({armed, Update(37), {}, {0, 12000, 1e4f}});
  sink.takeFiring({armed, Update(38), {}, {0, 13000, 1e4f}});
  sink.close({});
  const auto events = tests::readRun(directory.path());
  EXPECT_THAT(tests::stepsOf(events, "fired/dense_acts"), ElementsAre(37));
  EXPECT_EQ(
      tests::valuesOf(events, "fired/dense_acts").at(0).tensor().string_val(0),
      "update 37: dense_acts: abs_max 1.2e4 > 1e4");
}

TEST_F(EventSinkTest, EachReplicaHasARatioOfItsOwn) {
  EventSink sink(directory.path().string());
  std::vector<Tap> taps;
  for (const Tap *tap : {&weight, &update})
    for (unsigned replica = 0; replica < 2; ++replica) {
      taps.push_back(*tap);
      taps.back().origin = SampleOrigin{replica, 0};
    }
  for (const Tap &tap : taps)
    sink.take(tap, Update(5), sampleOfFloats(threeFour));
  sink.close({});
  EXPECT_THAT(
      tagsIn(directory),
      IsSupersetOf(
          {"tapped_updates/dense/kernel:0_update/replica_0/ratio_to_weight",
           "tapped_updates/dense/kernel:0_update/replica_1/ratio_to_weight"}));
}

TEST_F(EventSinkTest, TheQueueIsCountedOnlyIfItDroppedSomething) {
  TapReport report;
  report.frames = 12;
  {
    EventSink sink(directory.path().string());
    sink.take(weight, Update(7), sampleOfFloats(threeFour));
    sink.close(report);
  }
  EXPECT_EQ(tagsIn(directory).count("queue/dropped"), 0u);
  report.dropped = 3;
  const tests::TempDir other;
  {
    EventSink sink(other.path().string());
    sink.take(weight, Update(7), sampleOfFloats(threeFour));
    sink.close(report);
  }
  const auto events = tests::readRun(other.path());
  EXPECT_THAT(tests::stepsOf(events, "queue/dropped"), ElementsAre(7));
  EXPECT_EQ(tests::valuesOf(events, "queue/dropped")[0].simple_value(), 3.0f);
  EXPECT_EQ(tests::valuesOf(events, "queue/frames")[0].simple_value(), 12.0f);
}

TEST_F(EventSinkTest, NothingIsWrittenWithoutASample) {
  EventSink sink((directory.path() / "run").string());
  sink.close({});
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "run"));
  EXPECT_THAT(sink.reports(), IsEmpty());
}

TEST_F(EventSinkTest, AWriterOfOthersIsLeftOpenAndNotResumed) {
  const auto shared =
      std::make_shared<summary::EventWriter>(directory.path() / "run");
  EventSink sink([&shared] { return shared; });
  sink.resume(Update(9));
  sink.take(weight, Update(9), sampleOfFloats(threeFour));
  sink.close({});
  shared->scalar(summary::Tag("after"), summary::Step(0), 1);
  ASSERT_EQ(shared->close(), summary::SinkError::none);
  const auto events = tests::readRun(directory.path() / "run");
  EXPECT_THAT(tests::stepsOf(events, "after"), ElementsAre(0));
  EXPECT_THAT(tests::stepsOf(events, "tapped_weights/dense/kernel:0/mean"),
              ElementsAre(9));
  for (const auto &event : events)
    EXPECT_FALSE(event.has_session_log() && event.step() == 9);
}

// Scalars of a weight "k" with these elements by the ends of their tags, and
// histograms as the number of their buckets.
std::map<std::string, float> written(const std::vector<float> &values,
                                     Payload payload = Payload::shape) {
  const tests::TempDir directory;
  TensorSample sample = sampleOfFloats(values);
  sample.payload = payload;
  EventSink sink(directory.path().string());
  const Tap tap = tapOf("k", TensorKind::weight, 0);
  sink.take(tap, Update(7), sample);
  sink.close({});
  const std::string group = "tapped_weights/";
  std::map<std::string, float> found;
  for (const auto &event : tests::readRun(directory.path()))
    for (const auto &value : event.summary().value())
      found[value.tag().substr(group.size())] =
          value.has_tensor()
              ? float(value.tensor().tensor_shape().dim(0).size())
              : value.simple_value();
  return found;
}

TEST_F(EventSinkTest, AnInfiniteElementShowsAsInfinite) {
  const auto found = written({1, 3, kInf, kInf, -kInf, 2});
  EXPECT_THAT(found, Contains(Pair("k/max", kInf)));
  EXPECT_THAT(found, Contains(Pair("k/min", -kInf)));
  EXPECT_THAT(found, Contains(Pair("k/abs_max", kInf)));
  EXPECT_THAT(found, Contains(Pair("k/l2_norm", kInf)));
  EXPECT_THAT(found, Contains(Pair("k/mean", 2.0f)));
  EXPECT_THAT(found, Contains(Pair("k/pos_inf", 2.0f)));
  EXPECT_THAT(found, Contains(Pair("k/neg_inf", 1.0f)));
  EXPECT_THAT(found, Not(Contains(Key("k/nan"))));
  EXPECT_THAT(found, Contains(Key("k/histogram")));
}

TEST_F(EventSinkTest, ATensorWithoutFiniteElementsHasNoMeanAndNoHistogram) {
  const auto infinite = written({kInf, kNaN});
  EXPECT_THAT(infinite, Contains(Pair("k/abs_max", kInf)));
  EXPECT_THAT(infinite, Contains(Pair("k/nan", 1.0f)));
  EXPECT_THAT(infinite, Not(Contains(Key("k/mean"))));
  EXPECT_THAT(infinite, Not(Contains(Key("k/histogram"))));
  const auto nothing = written({kNaN, kNaN});
  EXPECT_THAT(nothing, Contains(Pair("k/nan", 2.0f)));
  EXPECT_THAT(nothing, Not(Contains(Key("k/abs_max"))));
  EXPECT_THAT(nothing, Not(Contains(Key("k/l2_norm"))));
}

TEST_F(EventSinkTest, CountsOfTheBadHaveOneNameAndOnlyIfThereAreAny) {
  const auto found = written({1, kInf, kNaN});
  EXPECT_THAT(found, Contains(Key("k/nan")));
  EXPECT_THAT(found, Not(Contains(Key("k/histogram/nan"))));
  EXPECT_THAT(found, Not(Contains(Key("k/neg_inf"))));
  EXPECT_THAT(found, Not(Contains(Key("k/saturated_share"))));
}

TEST_F(EventSinkTest, AnAlarmHasItsLargestMagnitude) {
  const auto found = written({1, -3}, Payload::alarm);
  EXPECT_EQ(found.size(), 1u);
  EXPECT_THAT(found, Contains(Pair("k/abs_max", 3.0f)));
}

} // namespace
} // namespace popscope::outfeed
