#include "outfeed/tap_rule.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace popscope::outfeed {
namespace {

TEST(TapRule, HasThreeParts) {
  const TapRule rule =
      parseTapRule("kind:gradient & numel>4096 @ every 10 from 5 -> shape");
  EXPECT_EQ(rule.filter.text(), "kind:gradient & numel>4096");
  EXPECT_EQ(rule.schedule.text(), "every 10 from 5");
  EXPECT_EQ(rule.payload, Payload::shape);
}

TEST(TapRule, AloneItMeansStatisticsAtEveryStep) {
  const TapRule rule = parseTapRule("Dense_128");
  EXPECT_TRUE(rule.schedule.isAlways());
  EXPECT_EQ(rule.payload, Payload::stats);
}

TEST(TapRule, QuotesHideItsSigns) {
  EXPECT_EQ(parseTapRule(R"(name~"a@b->c" -> full)").filter.text(),
            R"(name~"a@b->c")");
}

TEST(TapRule, RefusesAnUnknownPayload) {
  EXPECT_THROW(parseTapRule("conv -> everything"), std::invalid_argument);
  EXPECT_THROW(parseTapRule("conv @ -> shape"), std::invalid_argument);
}

} // namespace
} // namespace popscope::outfeed
