#include "outfeed/rules/condition.hpp"
#include "outfeed/rules/rule_error.hpp"
#include "outfeed/rules/tap_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace popscope::outfeed {
namespace {

using testing::HasSubstr;

std::string readAs(const std::string &text) {
  return parseCondition(text).text();
}

TEST(Condition, IsAStatisticAComparisonAndALimit) {
  const Condition condition = parseCondition("abs_max >= 1e4");
  ASSERT_EQ(condition.terms.size(), 1u);
  EXPECT_EQ(condition.terms[0].statistic, Statistic::absMax);
  EXPECT_EQ(condition.terms[0].comparison, Comparison::greaterOrEqual);
  EXPECT_FALSE(condition.terms[0].timesMean);
  EXPECT_EQ(condition.limits[0], 1e4f);
}

TEST(Condition, HasEveryComparison) {
  for (const char *text : {"min>-1.5", "min>=0", "max<1e-8", "max<=0.33333334",
                           "zero_share==1", "not_finite!=0"})
    EXPECT_EQ(readAs(text), text);
}

TEST(Condition, MayCompareWithTheRunningMean) {
  EXPECT_EQ(readAs("l2_norm > 10 * mean"), "l2_norm>10*mean");
  EXPECT_EQ(readAs("mean<mean"), "mean<1*mean");
}

TEST(Condition, JoinsTermsByAndBeforeOr) {
  const Condition condition =
      parseCondition("nan>0 or zero_share==1 and unchanged or max<0");
  EXPECT_EQ(condition.text(), "nan>0 or zero_share==1 and unchanged or max<0");
  std::vector<bool> first;
  for (const ConditionTerm &term : condition.terms)
    first.push_back(term.isFirst);
  EXPECT_THAT(first, testing::ElementsAre(true, true, false, true));
}

TEST(Condition, KnowsWhichRowsItNeeds) {
  EXPECT_EQ(parseCondition("abs_max>1").tier(), StatsTier::alarm);
  EXPECT_EQ(parseCondition("abs_max>1 or l2_norm>1").tier(), StatsTier::stats);
  EXPECT_EQ(parseCondition("kurtosis>9").tier(), StatsTier::shape);
  EXPECT_EQ(parseCondition("unchanged").tier(), StatsTier::identity);
}

std::string mistake(const std::string &rule) {
  try {
    parseTapRule(rule);
  } catch (const RuleError &error) {
    return error.what();
  }
  return "";
}

TEST(Condition, MistakesAreShownInTheRule) {
  EXPECT_EQ(mistake("conv when absmax>1e4 -> full"),
            "[outfeed] no statistic 'absmax'; did you mean abs_max?\n"
            "  conv when absmax>1e4 -> full\n"
            "            ^");
  EXPECT_THAT(mistake("conv when unchangd"),
              HasSubstr("did you mean unchanged?"));
  EXPECT_THAT(mistake("conv when"),
              HasSubstr("expected a condition after 'when'"));
  EXPECT_THAT(mistake("conv when max"), HasSubstr("expected a comparison"));
  EXPECT_THAT(mistake("conv when max=1"), HasSubstr("expected a comparison"));
  EXPECT_THAT(mistake("conv when max>"), HasSubstr("expected a number"));
  EXPECT_THAT(mistake("conv when max>many"), HasSubstr("not 'many'"));
  EXPECT_THAT(mistake("conv when max>1e99"), HasSubstr("not '1e99'"));
  EXPECT_THAT(mistake("conv when max>3*min"),
              HasSubstr("expected mean after '*'"));
  EXPECT_THAT(mistake("conv when max>1 min<0"),
              HasSubstr("expected 'and', 'or' or '->' here"));
  EXPECT_THAT(mistake("conv when max>1 @ every 3"),
              HasSubstr("the schedule comes before the condition"));
  EXPECT_THAT(mistake("conv when max>1 for 5"),
              HasSubstr("'for' comes after the payload"));
  EXPECT_THAT(mistake("when max>1"), HasSubstr("expected a filter"));
}

TEST(Condition, StandsBetweenScheduleAndPayload) {
  const TapRule rule =
      parseTapRule("conv @ every 10 when abs_max>-1 -> shape for 50");
  EXPECT_EQ(rule.filter.text(), "conv");
  EXPECT_EQ(rule.schedule.text(), "every 10");
  ASSERT_TRUE(rule.condition);
  EXPECT_EQ(rule.condition->text(), "abs_max>-1");
  EXPECT_EQ(rule.payload, Payload::shape);
  EXPECT_EQ(rule.forUpdates, 50u);
  EXPECT_EQ(parseTapRule("\"when\" when max>1").filter.text(), "\"when\"");
  EXPECT_FALSE(parseTapRule("whenever -> full").condition);
}

TEST(Condition, ForTakesANumberOfUpdatesAndNeedsACondition) {
  for (const char *rule :
       {"a when nan>0 -> full for", "a when nan>0 -> full for x",
        "a when nan>0 -> full for 0", "a when nan>0 -> full for 3 4"})
    EXPECT_THAT(mistake(rule), HasSubstr("expected a number of updates"));
  EXPECT_THAT(mistake("a -> full for 3"), HasSubstr("'for' needs a condition"));
}

TEST(Condition, SaysWhatHeld) {
  const Condition condition =
      parseCondition("abs_max>1e4 or l2_norm>10*mean or unchanged");
  EXPECT_EQ(describe(condition, {0, 12345.6f, 1e4f}), "abs_max 1.23e4 > 1e4");
  EXPECT_EQ(describe(condition, {1, 52, 41}), "l2_norm 52 > 10*mean (41)");
  EXPECT_EQ(describe(condition, {2, 0, 0}), "unchanged");
}

} // namespace
} // namespace popscope::outfeed
