#include "outfeed/checks/tap_actions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>

namespace popscope::outfeed {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two tensors of one name, whose updates begin when the test says so.
class TapActionsTest : public testing::Test {
protected:
  TapActionsTest()
      : plan({parseTapRule("* @ every 4"), parseTapRule("* @ never -> full")},
             TapPlan::Alarms::none, TapPlan::Control::live) {
    for (const auto moment :
         {graph::TapMoment::accumulated, graph::TapMoment::reduced}) {
      tensor.name = "a/kernel:0_grad";
      tensor.kind = graph::TensorKind::gradient;
      tensor.moment = moment;
      tensor.numElements = 10;
      plan.add(tensor);
      plan.addStandbys(tensor);
    }
    control = std::make_unique<TapControl>(plan);
    actions = std::make_unique<TapActions>(plan, *control);
  }

  // What is sent at so many updates: "update moment payload".
  std::vector<std::string> run(unsigned updates) {
    std::vector<std::string> sent;
    for (unsigned i = 0; i < updates; ++i, ++next) {
      control->beginUpdate();
      for (const Tap &tap : plan.taps())
        if (control->isDue(tap.id))
          sent.push_back(std::to_string(next) + " " +
                         nameOf(tap.tensor.moment) + " " + nameOf(tap.payload));
      actions->advance(Update(next));
    }
    return sent;
  }

  TapPlan plan;
  TensorTraits tensor; // the second
  std::unique_ptr<TapControl> control;
  std::unique_ptr<TapActions> actions;
  unsigned next = 0;
};

TEST_F(TapActionsTest, SendOneTensorAtEveryUpdateForAWhile) {
  EXPECT_THAT(run(2), ElementsAre("0 accumulated stats", "0 reduced stats"));
  actions->sample(tensor, Update(1), 2);
  EXPECT_THAT(run(3), ElementsAre("2 reduced stats", "3 reduced stats",
                                  "4 accumulated stats", "4 reduced stats"));
  EXPECT_THAT(run(4), ElementsAre("8 accumulated stats", "8 reduced stats"));
}

TEST_F(TapActionsTest, GoOnSamplingIfAskedAgain) {
  (void)run(1);
  actions->sample(tensor, Update(0), 2);
  (void)run(1);
  actions->sample(tensor, Update(1), 4);
  EXPECT_THAT(run(2), ElementsAre("2 reduced stats", "3 reduced stats"));
  (void)run(2); // until update 5
  EXPECT_THAT(run(2), IsEmpty());
}

TEST_F(TapActionsTest, WriteTheWholeTensorOnce) {
  (void)run(1);
  actions->dump(tensor);
  EXPECT_THAT(run(3), ElementsAre("1 reduced full"));
}

TEST_F(TapActionsTest, RefuseToWriteWhatIsNotCompiledIn) {
  TensorTraits other = tensor;
  other.name = "b";
  EXPECT_THROW(actions->dump(other), std::invalid_argument);
}

} // namespace
} // namespace popscope::outfeed
