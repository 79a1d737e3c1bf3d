#include "outfeed/checks/check_catalog.hpp"
#include "outfeed/checks/check_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

namespace popscope::outfeed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusalOf(const std::string &json) {
  try {
    (void)parseChecks(json);
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
  return "accepted";
}

TEST(CheckPlan, HasTheChecksThatAreNamedWithWhatDiffersFromTheirDefaults) {
  const auto checks = parseChecks(
      R"({"spike": {"factor": 5, "tensors": "kind:loss",
                    "actions": ["mark", "stop"], "escalate_after": 3},
          "dead_relu": {}})");
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_STREQ(checks[0].check->name(), "spike");
  EXPECT_EQ(*checks[0].check->settings()[0].value, 5);
  EXPECT_EQ(checks[0].check->tensors().text(), "kind:loss");
  EXPECT_THAT(checks[0].actions,
              ElementsAre(CheckAction::mark, CheckAction::stop));
  EXPECT_EQ(checks[0].escalateAfter, 3);
  EXPECT_THAT(checks[1].actions, ElementsAre(CheckAction::mark));
}

TEST(CheckPlan, OfAllDefaultsIsReadBackAsItIsWritten) {
  const std::string json = toJson(defaultChecks());
  EXPECT_EQ(toJson(parseChecks(json)), json);
  EXPECT_EQ(parseChecks(json).size(), checkNames().size());
  EXPECT_THAT(
      json,
      HasSubstr(
          R"({"dead_relu": {"zero_share": 0.99, )"
          R"("samples": 10, "tensors": "kind:activation", )"
          R"("actions": ["mark"], "escalate_after": 20, "sample_for": 50})"));
}

TEST(CheckPlan, NamesTheKeyThatIsWrongAndTheNearest) {
  const std::pair<const char *, const char *> refusals[] = {
      {R"({"dead_rlu": {}})", "no check 'dead_rlu'; did you mean dead_relu? "
                              "(dead_relu, vanishing, exploding, "},
      {R"({"spike": {"facter": 5}})",
       "spike: no setting 'facter'; did you mean factor? (factor, memory, "
       "warm_up, escalate_after, sample_for, tensors, actions)"},
      {R"({"spike": {"factor": 0.5}})",
       "spike: factor has to be a number of at least 1"},
      {R"({"spike": {"factor": 1e701}})",
       "spike: factor has to be a number of at least 1"},
      {R"({"spike": {"factor": "5"}})", "spike: factor has to be a number"},
      {R"({"spike": {"memory": 2.5}})",
       "spike: memory has to be a whole number from 1 to 1e9"},
      {R"({"dead_relu": {"zero_share": 99}})",
       "dead_relu: zero_share has to be a number from 0 to 1"},
      {R"({"spike": {"actions": ["halt"]}})",
       "spike: no action 'halt'; did you mean "},
      {R"({"spike": {"actions": "stop"}})",
       "spike: actions has to be a list such as [\"mark\", \"stop\"]"},
      {R"({"spike": {"tensors": "knd:loss"}})",
       "no property 'knd'; did you mean kind?"},
      {R"({"spike": {"tensors": 3}})", "spike: tensors has to be a filter"},
      {R"({"spike": 5})", "spike: its settings have to be an object"},
      {R"({"spike": {}, "spike": {}})", "the check 'spike' is there twice"},
      {R"([])", "a file of checks is an object such as"},
      {R"({})", "names no check; there are dead_relu, "},
      {R"({"spike")", "not JSON: "}};
  for (const auto &[json, why] : refusals)
    EXPECT_THAT(refusalOf(json), HasSubstr(why)) << json;
}

TEST(CheckPlan, CompilesWholeTensorsInIfTheyMayBeDumped) {
  const auto rules =
      tapsOf(parseChecks(R"({"spike": {"actions": ["dump"]}})"), {});
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[1].payload, Payload::full);
  EXPECT_TRUE(rules[1].schedule.isNever());
}

TEST(CheckPlan, AsksForTheTapsThatItsChecksNeed) {
  ProgramFacts facts;
  const auto plan = parseChecks(
      R"({"replicas_part": {}, "gradient_noise": {}, "dead_relu": {},
          "saturation": {"tensors": "conv_*"}})");
  const auto texts = [&] {
    std::vector<std::string> texts;
    for (const TapRule &rule : tapsOf(plan, facts))
      texts.push_back(rule.title + ": " + rule.filter.text() + " -> " +
                      nameOf(rule.payload));
    return texts;
  };
  EXPECT_THAT(texts(),
              ElementsAre("check saturation: conv_* -> alarm",
                          "check dead_relu: kind:activation -> stats"));
  facts.replicas = 2;
  EXPECT_THAT(texts(),
              ElementsAre("check saturation: conv_* -> alarm",
                          "check gradient_noise: kind:gradient -> stats",
                          "check dead_relu: kind:activation -> stats",
                          "check replicas_part: kind:weight -> identity"));
}

} // namespace
} // namespace popscope::outfeed
