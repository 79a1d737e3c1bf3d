#include "outfeed/checks/check_sink.hpp"
#include "tests/outfeed/checks/trace.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::outfeed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A loss that is due at every update and a weight that is at every second.
class CheckSinkTest : public testing::Test {
protected:
  CheckSinkTest()
      : tapPlan({parseTapRule("loss"), parseTapRule("kind:weight @ every 2")}) {
    for (const TensorTraits &traits : threeLayers().tensors)
      tapPlan.add(traits);
  }

  std::unique_ptr<CheckSink> sink(const std::string &json,
                                  const TapPlan *plan = nullptr) {
    CheckSinkOptions options;
    options.log = [this] { return log; };
    options.listener.found = [this](const Finding &finding) {
      found.push_back(lineOf(finding));
    };
    options.listener.act = [this](const DueAction &due) {
      acted.emplace_back(nameOf(due.action));
    };
    auto result = std::make_unique<CheckSink>(parseChecks(json), options);
    result->begin(plan ? *plan : tapPlan);
    return result;
  }
  void give(CheckSink &sink, const std::string &name, std::uint32_t update,
            std::vector<float> values) {
    for (const Tap &tap : tapPlan.taps())
      if (tap.tensor.name == name)
        sink.take(tap, Update(update), sampleOfFloats(values));
  }

  TapPlan tapPlan;
  const tests::TempDir directory;
  std::shared_ptr<summary::EventWriter> log =
      std::make_shared<summary::EventWriter>(directory.path());
  std::vector<std::string> found, acted;
};

const char *const kSpike = R"({"spike": {"warm_up": 1, "actions": ["stop"]}})";

TEST_F(CheckSinkTest, LooksAtAnUpdateAsSoonAsAllItsSamplesAreThere) {
  const auto checks = sink(kSpike);
  const auto giveWeights = [&](std::uint32_t update) {
    for (const char *name : {"a/kernel:0", "b/kernel:0", "c/kernel:0"})
      give(*checks, name, update, {1});
  };
  give(*checks, "loss", 0, {1});
  giveWeights(0);
  give(*checks, "loss", 1, {1, 1}); // no weight is due
  give(*checks, "loss", 2, {60});
  EXPECT_THAT(found, IsEmpty());
  giveWeights(2);
  EXPECT_THAT(found, ElementsAre("spike: update 2, loss: mean is 60 times its "
                                 "running mean, more than 10 times"));
  EXPECT_THAT(acted, ElementsAre("stop"));
}

TEST_F(CheckSinkTest, LooksAtIncompleteUpdatesBeforeTheNextAndAtAFlush) {
  const auto checks = sink(kSpike);
  give(*checks, "loss", 0, {1}); // its weights are lost
  give(*checks, "loss", 1, {60});
  EXPECT_EQ(found.size(), 1u);
  give(*checks, "loss", 2, {6000});
  EXPECT_EQ(found.size(), 1u);
  checks->flush();
  EXPECT_EQ(checks->checks()->findings()[0].samples, 2u);
  give(*checks, "loss", 1, {1}); // too late
  checks->flush();
  EXPECT_EQ(checks->checks()->findings()[0].last, Update(2));
}

TEST_F(CheckSinkTest, WaitsForSamplesThatMayComeIfATapHasACondition) {
  TapPlan conditional({parseTapRule("loss when abs_max>1")});
  for (const TensorTraits &traits : threeLayers().tensors)
    conditional.add(traits);
  const auto checks = sink(kSpike, &conditional);
  const auto give = [&](std::uint32_t update, float loss) {
    const std::vector<float> values = {loss};
    checks->take(conditional.taps()[0], Update(update), sampleOfFloats(values));
  };
  give(0, 2);
  give(3, 60);
  EXPECT_THAT(found, IsEmpty());
  give(4, 2);
  EXPECT_EQ(found.size(), 1u);
}

TEST_F(CheckSinkTest, MarksFindingsInTheLogOfTheirUpdate) {
  const auto checks = sink(R"({"spike": {"warm_up": 1, "tensors": "*"}})");
  for (const std::uint32_t update : {0, 2}) {
    give(*checks, "loss", update, {update == 0 ? 1.f : 60.f});
    for (const char *name : {"a/kernel:0", "b/kernel:0", "c/kernel:0"})
      give(*checks, name, update, {update == 0 ? 1.f : 60.f});
  }
  (void)log->close();
  const auto events = tests::readRun(directory.path());
  EXPECT_THAT(tests::stepsOf(events, "findings"), ElementsAre(2));
  const std::string text =
      tests::valuesOf(events, "findings").at(0).tensor().string_val(0);
  EXPECT_THAT(text, HasSubstr("- spike: update 2, loss: mean is 60 times"));
  EXPECT_THAT(text, HasSubstr("- spike: update 2, c/kernel:0: l2_norm is"));
  EXPECT_THAT(tests::stepsOf(events, "tapped_checks/spike"), ElementsAre(2));
  EXPECT_EQ(tests::valuesOf(events, "tapped_checks/spike").at(0).simple_value(),
            4);
}

TEST_F(CheckSinkTest, GoesOnWithWhatAnEarlierStartObserved) {
  const auto checks = sink(kSpike);
  checks->replay([](const ProgramFacts &facts, CheckSet &set) {
    for (const double mean : {1, 1, 60}) {
      UpdateObservations update;
      update.update = Update(std::uint32_t(set.findings().size()));
      update.all.push_back({set.seriesOf(facts.tensors[3], {}), {}});
      update.all[0].value.set(Statistic::mean, float(mean));
      set.look(update);
    }
  });
  EXPECT_THAT(found, IsEmpty()); // it was said then
  EXPECT_THAT(acted, IsEmpty());
  give(*checks, "loss", 7, {9000});
  EXPECT_THAT(found, IsEmpty());
  EXPECT_EQ(checks->checks()->findings()[0].samples, 2u);
}

} // namespace
} // namespace popscope::outfeed
