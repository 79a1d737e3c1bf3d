#include "outfeed/rules/rule_error.hpp"
#include "outfeed/rules/schedule_parser.hpp"
#include "outfeed/rules/tap_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace popscope::outfeed {
namespace {

using testing::HasSubstr;

TEST(TapRule, HasThreeParts) {
  const TapRule rule =
      parseTapRule("kind:gradient & numel>4096 @ every 10 from 5 -> shape");
  EXPECT_EQ(rule.filter.text(), "kind:gradient & numel>4096");
  EXPECT_EQ(rule.schedule.text(), "every 10 from 5");
  EXPECT_EQ(rule.payload, Payload::shape);
}

TEST(TapRule, AloneItMeansStatisticsAtEveryUpdate) {
  const TapRule rule = parseTapRule("Dense_128");
  EXPECT_TRUE(rule.schedule.isAlways());
  EXPECT_EQ(rule.payload, Payload::stats);
}

TEST(TapRule, QuotesHideItsSigns) {
  EXPECT_EQ(parseTapRule(R"(name~"a@b->c" -> full)").filter.text(),
            R"(name~"a@b->c")");
}

std::string message(const std::string &text) {
  try {
    parseTapRule(text);
  } catch (const RuleError &error) {
    return error.what();
  }
  return "";
}

TEST(TapRule, ErrorsOfEachPartPointIntoTheWholeRule) {
  EXPECT_EQ(message("  knd~a @ every 2"),
            "[outfeed] no property 'knd'; did you mean kind? (name, layer, "
            "kind, at, dtype, stage, numel); in quotes this is part of a name\n"
            "    knd~a @ every 2\n"
            "    ^");
  EXPECT_EQ(message("conv @ every 2 from 5 until 4 -> shape"),
            "[outfeed] 'from' is greater than 'until'\n"
            "  conv @ every 2 from 5 until 4 -> shape\n"
            "                        ^");
  EXPECT_EQ(message("conv @ every 2 -> shap"),
            "[outfeed] no payload 'shap'; did you mean shape? (alarm, stats, "
            "shape, identity, full)\n"
            "  conv @ every 2 -> shap\n"
            "                    ^");
}

TEST(TapRule, NoPartMayBeEmpty) {
  EXPECT_THAT(message("conv @ -> shape"),
              HasSubstr("expected a schedule after '@', e.g. every 10"));
  EXPECT_THAT(message("conv @"), HasSubstr("expected a schedule after '@'"));
  EXPECT_THAT(message("conv -> "), HasSubstr("expected a payload after '->'"));
  EXPECT_THAT(message("@ every 2"), HasSubstr("expected a filter"));
  EXPECT_THAT(message(" "), HasSubstr("expected a filter"));
}

TEST(TapRule, TheScheduleComesFirst) {
  EXPECT_THAT(message("conv -> shape @ every 10"),
              HasSubstr("the schedule comes before the payload"));
}

// Rules made of what rules are made of, in any order: each is read or refused,
// and what was read can be asked about a tensor.
TEST(TapRule, RandomTextIsReadOrRefused) {
  const std::vector<std::string> words = {"conv",
                                          "kernel:0",
                                          "name",
                                          "kind",
                                          ":",
                                          "~",
                                          "gradient",
                                          "(",
                                          ")",
                                          "!",
                                          "&",
                                          "|",
                                          "&&",
                                          "||",
                                          "and",
                                          "or",
                                          "not",
                                          "*",
                                          "[a-z]",
                                          "[",
                                          "\"",
                                          "\\",
                                          "numel",
                                          ">=",
                                          "<",
                                          "42",
                                          "@",
                                          "every",
                                          "->",
                                          "from",
                                          "updates",
                                          ",",
                                          "full",
                                          "(a+)+$",
                                          "\xc3",
                                          " ",
                                          "\t",
                                          " ",
                                          "stage",
                                          "=",
                                          " when ",
                                          " when nan>0",
                                          " when max<2*mean or unchanged",
                                          "abs_max>1",
                                          "unchanged",
                                          " for ",
                                          "*mean",
                                          " -> stats"};
  TensorTraits tensor;
  tensor.name = "conv_0/kernel:0_grad";
  std::mt19937 random(1);
  unsigned read = 0, readConditions = 0;
  for (unsigned i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto length = random() % 16; length-- > 0;)
      text += words[random() % words.size()];
    try {
      const TapRule rule = parseTapRule(text);
      rule.filter.matches(tensor);
      EXPECT_TRUE(parseSchedule(rule.schedule.text()) == rule.schedule);
      if (rule.condition) {
        const std::string read = rule.condition->text();
        EXPECT_EQ(parseCondition(read).text(), read);
      }
      readConditions += rule.condition.has_value();
      ++read;
    } catch (const RuleError &) { // as it should be
    }
  }
  EXPECT_GT(read, 200u);
  EXPECT_GT(readConditions, 10u);
}

} // namespace
} // namespace popscope::outfeed
