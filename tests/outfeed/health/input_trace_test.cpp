#include "outfeed/health/input_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::outfeed {
namespace {

using graph::Computation;
using graph::TapMoment;
using testing::ElementsAre;

TensorTraits point(const char *name, Computation computation,
                   std::vector<std::string> inputs,
                   TapMoment moment = TapMoment::microBatch) {
  TensorTraits traits;
  traits.name = name;
  traits.moment = moment;
  traits.derivation = {computation, std::move(inputs)};
  return traits;
}

// x -> r -> m -> y, where y and m have a weight each.
const std::vector<TensorTraits> kPoints = {
    point("x", Computation::host, {}),
    point("r", Computation::relu, {"x"}),
    point("m", Computation::product, {"r", "v"}),
    point("y", Computation::product, {"m", "w", "nowhere"}),
    point("v", Computation::optimizer, {"v"}, TapMoment::applied),
    point("w", Computation::optimizer, {"w"}, TapMoment::applied)};
enum Number : std::size_t { x, r, m, y, v, w };

class Trace : public testing::Test {
protected:
  void give(Number number, std::uint32_t update, double absMax,
            unsigned microBatch = 0) {
    TensorHealth health;
    health.absMax = absMax;
    history_.put(number, Update(update), {0, microBatch}, health);
  }
  // "w 3", or "w ?" if nothing is known of it.
  std::vector<std::string> inputsOf(Number number, std::uint32_t update,
                                    unsigned microBatch = 0) const {
    std::vector<std::string> texts;
    for (const KnownInput &input :
         trace_.inputsOf(number, Update(update), {0, microBatch}))
      texts.push_back(
          input.name + " " +
          (input.health ? std::to_string(int(input.health->absMax)) : "?") +
          (input.fromBefore ? " before" : ""));
    return texts;
  }

  PointGraph graph_{kPoints};
  HealthHistory history_{kPoints.size(), 1};
  InputTrace trace_{graph_, history_};
};

TEST_F(Trace, HasTheInputsOfTheUpdateAndTheWeightsOfTheOneBefore) {
  give(m, 0, 1);
  give(w, 0, 2);
  give(m, 1, 3);
  give(w, 1, 4);
  EXPECT_THAT(inputsOf(y, 1), ElementsAre("m 3", "w 2", "nowhere ?"));
}

TEST_F(Trace, HasOnlyWhatWasThereBeforeInTheFirstUpdate) {
  trace_.setBefore("w", {});
  give(m, 0, 1);
  EXPECT_THAT(inputsOf(y, 0), ElementsAre("m 1", "w 0 before", "nowhere ?"));
}

TEST_F(Trace, KeepsThePlaceOfAnInputThatIsNotKnownAndLooksBehindItLast) {
  give(x, 1, 5);
  give(v, 0, 6);
  give(w, 0, 7);
  EXPECT_THAT(inputsOf(y, 1),
              ElementsAre("m ?", "w 7", "nowhere ?", "x 5", "v 6"));
}

TEST_F(Trace, PutsWhatAReluSelectsFromInItsPlace) {
  give(x, 1, 5);
  EXPECT_THAT(inputsOf(m, 1), ElementsAre("x 5", "v ?"));
}

TEST_F(Trace, DoesNotTakeWhatWasKnownAtAnEarlierUpdate) {
  give(r, 0, 1);
  give(x, 1, 5);
  EXPECT_THAT(inputsOf(m, 1), ElementsAre("x 5", "v ?"));
  give(r, 1, 2);
  EXPECT_THAT(inputsOf(m, 1), ElementsAre("r 2", "v ?"));
}

} // namespace
} // namespace popscope::outfeed
