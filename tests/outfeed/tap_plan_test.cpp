#include "outfeed/tap_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

namespace popscope::outfeed {
namespace {

TensorTraits named(const char *name) {
  TensorTraits traits;
  traits.name = name;
  traits.numElements = 10;
  return traits;
}

TEST(TapPlan, TheLastRuleThatMatchesDecides) {
  TapPlan plan({parseTapRule("conv -> alarm"),
                parseTapRule("kernel @ every 2 -> shape")});
  EXPECT_EQ(plan.add(named("conv/bias"))->payload, Payload::alarm);
  EXPECT_EQ(plan.add(named("conv/kernel"))->payload, Payload::shape);
  EXPECT_EQ(plan.add(named("dense/bias")), nullptr);
  EXPECT_EQ(plan.taps().size(), 2u);
  EXPECT_EQ(plan.tensors().size(), 3u);
}

TEST(TapPlan, ATensorKeepsItsTap) {
  TapPlan plan({parseTapRule("conv")});
  Tap *first = plan.add(named("conv/kernel"));
  EXPECT_EQ(plan.add(named("conv/kernel")), first);
  TensorTraits applied = named("conv/kernel");
  applied.moment = graph::TapMoment::applied;
  EXPECT_NE(plan.add(applied), first);
}

TEST(TapPlan, ARuleWithoutTensorNamesTheNearest) {
  TapPlan plan({parseTapRule("conv"), parseTapRule("dens_e*")});
  for (const char *name : {"conv_0", "conv_1", "dense/kernel", "loss"})
    plan.add(named(name));
  try {
    plan.requireMatches();
    FAIL() << "rule 2 matches nothing";
  } catch (const std::invalid_argument &error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("rule 2"));
    EXPECT_THAT(error.what(), testing::HasSubstr("'dens_e*'"));
    EXPECT_THAT(error.what(),
                testing::HasSubstr("the nearest are dense/kernel"));
  }
}

TEST(TapPlan, ARuleMayBeAllowedToMatchNothing) {
  TapRule rule = parseTapRule("dense");
  rule.unmatched = Unmatched::isAccepted;
  TapPlan plan({rule, parseTapRule("conv")});
  plan.add(named("conv_0"));
  EXPECT_NO_THROW(plan.requireMatches());
}

TEST(TapPlan, ARuleThatIsNeverDueIsNamed) {
  TapPlan plan({parseTapRule("conv @ every 5 from 3"),
                parseTapRule("dense @ updates 8,9")});
  EXPECT_THAT(plan.neverDue(9), testing::IsEmpty());
  EXPECT_THAT(plan.neverDue(8),
              testing::ElementsAre("rule 2: 'updates 8,9' is never due; "
                                   "there are 8 updates, counted from 0"));
}

TEST(TapPlan, ARuleThatIsNeverDueAddsAPayloadToTurnOn) {
  const std::vector<TapRule> rules{parseTapRule("conv -> stats"),
                                   parseTapRule("* @ never -> full"),
                                   parseTapRule("* @ never -> stats")};
  TapPlan live(rules, TapPlan::Alarms::none, TapPlan::Control::live);
  EXPECT_EQ(live.add(named("conv"))->payload, Payload::stats);
  const std::vector<Tap *> standbys = live.addStandbys(named("conv"));
  ASSERT_EQ(standbys.size(), 1u);
  EXPECT_EQ(standbys[0]->payload, Payload::full);
  EXPECT_EQ(live.add(named("dense")), nullptr);
  EXPECT_EQ(live.addStandbys(named("dense")).size(), 2u);
  EXPECT_TRUE(live.wants(named("dense")));
  EXPECT_NO_THROW(live.requireMatches());
  EXPECT_THAT(live.neverDue(9), testing::IsEmpty());
}

TEST(TapPlan, WithoutControlARuleThatIsNeverDueAddsNothing) {
  TapPlan plan({parseTapRule("* @ never")});
  EXPECT_EQ(plan.add(named("conv")), nullptr);
  EXPECT_THAT(plan.addStandbys(named("conv")), testing::IsEmpty());
  EXPECT_FALSE(plan.wants(named("conv")));
  EXPECT_NO_THROW(plan.requireMatches());
  EXPECT_THAT(plan.neverDue(9),
              testing::ElementsAre(testing::HasSubstr("'never' is never due")));
}

TEST(TapPlan, WithoutRulesAsksForNothing) {
  TapPlan plan({});
  EXPECT_EQ(plan.add(named("conv")), nullptr);
  EXPECT_NO_THROW(plan.requireMatches());
}

} // namespace
} // namespace popscope::outfeed
