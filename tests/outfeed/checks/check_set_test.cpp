#include "tests/outfeed/checks/trace.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::outfeed {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void saturate(Trace &trace, double share) {
  trace.give("h_preacts", {{Statistic::saturatedShare, share}});
  trace.end();
}

TEST(CheckSet, TakesTheNextActionWhileAViolationGoesOn) {
  Trace trace(R"({"saturation": {"actions": ["mark", "stop"],
                                 "escalate_after": 2}})");
  for (unsigned update = 0; update < 3; ++update)
    saturate(trace, 0.5);
  EXPECT_THAT(trace.actions, ElementsAre("stop h_preacts@2"));
  for (unsigned update = 3; update < 9; ++update)
    saturate(trace, 0.5);
  EXPECT_EQ(trace.actions.size(), 1u);
  EXPECT_EQ(trace.checks.findings()[0].samples, 9u);
  EXPECT_EQ(trace.checks.findings()[0].last, Update(8));
}

TEST(CheckSet, CountsOnlyViolationsTowardsTheNextAction) {
  Trace trace(R"({"saturation": {"actions": ["mark", "stop"],
                                 "escalate_after": 2}})");
  for (const double share : {0.5, 0.0, 0.5, 0.0, 0.0})
    saturate(trace, share);
  EXPECT_THAT(trace.actions, IsEmpty());
  saturate(trace, 0.5);
  EXPECT_THAT(trace.actions, ElementsAre("stop h_preacts@5"));
}

TEST(CheckSet, ActsAtOnceIfNothingIsToBeTriedBefore) {
  Trace trace(R"({"saturation": {"actions": ["stop"]}})");
  saturate(trace, 0.5);
  EXPECT_THAT(trace.actions, ElementsAre("stop h_preacts@0"));
}

TEST(CheckSet, MakesTheSameFindingsInWhateverOrderObservationsCome) {
  const std::string checks =
      R"({"saturation": {"tensors": "*", "saturated_share": 0.1},
          "spike": {"warm_up": 1}})";
  const std::vector<std::string> tags = {"a_acts", "loss", "a/kernel:0_grad",
                                         "b/kernel:0"};
  Trace forward(checks), backward(checks);
  for (unsigned update = 0; update < 3; ++update) {
    const auto give = [&](Trace &trace, const std::string &tag) {
      trace.give(tag, {{Statistic::saturatedShare, 0.1 * update},
                       {Statistic::l2Norm, update == 2 ? 100 : 1},
                       {Statistic::mean, update == 2 ? 100 : 1}});
    };
    for (auto tag = tags.begin(); tag != tags.end(); ++tag)
      give(forward, *tag);
    for (auto tag = tags.rbegin(); tag != tags.rend(); ++tag)
      give(backward, *tag);
    forward.end();
    backward.end();
  }
  EXPECT_EQ(forward.found().size(), 6u);
  EXPECT_EQ(forward.found(), backward.found());
}

TEST(CheckSet, SaysWhatACheckLacksAndWhatToAdd) {
  ProgramFacts facts = threeLayers();
  facts.tensors.pop_back(); // the only one in half
  facts.tensors.erase(std::remove_if(facts.tensors.begin(), facts.tensors.end(),
                                     [](const TensorTraits &tensor) {
                                       return tensor.kind ==
                                              graph::TensorKind::update;
                                     }),
                      facts.tensors.end()); // as nobody taps them
  Trace trace(R"({"dead_relu": {}, "update_ratio": {}, "frozen_weight": {},
                  "gradient_noise": {}, "replicas_part": {},
                  "spike": {"tensors": "los"}, "saturation": {},
                  "exploding": {"tensors": "kind:update & b/*"},
                  "loss_not_falling": {"tensors": "layer:conv_9"}})",
              facts);
  trace.give("a/kernel:0", {{Statistic::l2Norm, 1}});
  trace.give("b_acts", {{Statistic::absMax, 1}}); // of an alarm
  trace.end();
  EXPECT_THAT(
      trace.checks.lacking(),
      ElementsAre(
          "dead_relu: no statistics of 'kind:activation'; add --tap "
          "'kind:activation -> stats'",
          "update_ratio: no statistics of 'kind:update & !name~bias'; add "
          "--tap '(kind:update & !name~bias) | kind:weight -> stats'",
          "gradient_noise: an update has one micro-batch; train with "
          "--gradient-accumulation or --replicas",
          "spike: no statistics of 'los'; add --tap 'los -> stats'",
          "exploding: no statistics of 'kind:update & b/*'; add --tap "
          "'kind:update & b/* -> stats'",
          "loss_not_falling: no tensor matches 'layer:conv_9'; the nearest are "
          "a/kernel:0, b/kernel:0, c/kernel:0"));
  EXPECT_THAT(trace.checks.made(), ElementsAre("frozen_weight"));
}

TEST(CheckSet, KnowsReplicasOnlyIfTheyAreKeptApart) {
  ProgramFacts facts = threeLayers();
  facts.replicas = 2;
  Trace trace(R"({"replicas_part": {}})", facts);
  trace.give("a/kernel:0", {{Statistic::l2Norm, 1}});
  trace.end();
  EXPECT_THAT(trace.checks.lacking(),
              ElementsAre("replicas_part: no statistics of each replica of "
                          "'kind:weight'; add --keep-apart --tap 'kind:weight "
                          "-> identity'"));
}

TEST(CheckSet, DoesNotKnowTensorsOfOtherPrograms) {
  Trace trace(R"({"spike": {}})");
  EXPECT_EQ(trace.checks.seriesOf(tensor("z", graph::TensorKind::loss), {}),
            nullptr);
}

} // namespace
} // namespace popscope::outfeed
