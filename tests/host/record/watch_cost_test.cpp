#include "host/record/watch_cost.hpp"
#include "text/json_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace popscope::host {
namespace {

using testing::HasSubstr;
using testing::Not;

WatchCost exampleCost() {
  WatchCost cost;
  WatchCost::Row rule;
  rule.title = "rule 1";
  rule.rule = "kind:gradient | loss & \"at:accumulated\" @ every 10 -> shape";
  rule.tensors = 8;
  rule.bytes = 1234567;
  rule.tileBytes = 2720;
  rule.cycles = 233988;
  rule.time = MeasuredShare{0.012, 0.003};
  WatchCost::Row recorder;
  recorder.title = "recorder";
  recorder.tensors = 45;
  recorder.tileBytes = 1280;
  cost.rows = {rule, recorder};
  cost.bytes = 1300000;
  cost.timing = "Time was measured by a test.";
  cost.budget = "budget of 2 %: kept";
  return cost;
}

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

TEST(WatchCost, FitsIntoATerminalOf80ColumnsWithAllItsColumns) {
  std::ostringstream out;
  print(exampleCost(), out, 80);
  for (const std::string &line : linesOf(out.str()))
    EXPECT_LE(line.size(), 80u) << line;
  EXPECT_THAT(out.str(), HasSubstr("1,234,567"));
  EXPECT_THAT(out.str(), HasSubstr("233,988"));
  EXPECT_THAT(out.str(), HasSubstr("1.2 % +- 0.3 %"));
  EXPECT_THAT(out.str(), HasSubstr("budget of 2 %: kept"));
}

TEST(WatchCost, LeavesEstimatesOutOfANarrowTerminalButNeverTheTime) {
  std::ostringstream out;
  print(exampleCost(), out, 50);
  for (const std::string &line : linesOf(out.str()))
    EXPECT_LE(line.size(), 50u) << line;
  EXPECT_THAT(out.str(), Not(HasSubstr("233,988")));
  EXPECT_THAT(out.str(), HasSubstr("1.2 % +- 0.3 %"));
}

TEST(WatchCost, SaysHowLongTheDeviceWaitedIfItDid) {
  WatchCost cost = exampleCost();
  std::ostringstream without, with;
  print(cost, without, 80);
  cost.secondsWaited = 1.53;
  print(cost, with, 80);
  EXPECT_THAT(without.str(), Not(HasSubstr("waited")));
  EXPECT_THAT(with.str(), HasSubstr("waited 1.5 s"));
}

TEST(WatchCost, IsAnObjectOfJsonWithNullForWhatIsNotKnown) {
  const std::string json = toJson(exampleCost());
  EXPECT_THAT(json, HasSubstr("\"time_share\": 0.012"));
  EXPECT_THAT(json, HasSubstr("\"time_share_error\": 0.003"));
  EXPECT_THAT(json, HasSubstr("\"title\": \"recorder\", \"tensors\": 45, "
                              "\"bytes\": null"));
  EXPECT_THAT(json, HasSubstr("\"budget\": \"budget of 2 %: kept\""));
  EXPECT_NO_THROW(text::parseJson(json));
}

TEST(WatchCost, KeepsTheBarsOfARuleOutOfTheTableOfTensorBoard) {
  EXPECT_THAT(describe(exampleCost()), HasSubstr("`kind:gradient \\| loss"));
}

} // namespace
} // namespace popscope::host
