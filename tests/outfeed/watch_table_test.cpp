#include "outfeed/sinks/watch_table.hpp"

#include <algorithm>
#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace popscope::outfeed {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class WatchTableTest : public ::testing::Test {
protected:
  const Tap &tap(const std::string &name,
                 graph::TapMoment moment = graph::TapMoment::applied) {
    Tap tap;
    tap.id = TapId(taps.size());
    tap.tensor.name = name;
    tap.tensor.kind = graph::TensorKind::gradient;
    tap.tensor.moment = moment;
    return taps.emplace_back(tap);
  }
  static void take(WatchTable &table, const Tap &tap,
                   std::vector<float> values = {1, 2, 3}) {
    table.take(tap, Update(7), sampleOfFloats(values));
  }
  // What was drawn since the last time, without the signs that go back.
  std::vector<std::string> drawn() {
    std::string all = out.str();
    out.str("");
    const std::size_t wipe = all.rfind("\x1b[J");
    std::istringstream text(wipe == std::string::npos ? all
                                                      : all.substr(wipe + 3));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);)
      lines.push_back(line);
    return lines;
  }

  std::deque<Tap> taps; // addresses stay
  std::ostringstream out;
  text::TerminalSize size;
};

TEST_F(WatchTableTest, LiveDrawsNoMoreThanTheTerminalShows) {
  size = {30, 10};
  WatchTable table(out, WatchStyle::live, [this] { return size; });
  for (int i = 0; i < 40; ++i)
    take(table, tap("tensor_" + std::to_string(i)));
  drawn();
  table.flush();
  const std::vector<std::string> lines = drawn();
  EXPECT_LT(lines.size(), size.rows) << "the cursor has a line of its own";
  EXPECT_EQ(lines.back(), "  and 33 more tensors");
  for (const std::string &line : lines)
    EXPECT_LT(line.size(), size.columns) << line;
  size.rows = 60;
  table.flush();
  EXPECT_EQ(drawn().size(), 41u) << "after the window was made larger";
}

TEST_F(WatchTableTest, WhatIsNotFiniteIsShownFirst) {
  size = {80, 6};
  WatchTable table(out, WatchStyle::live, [this] { return size; });
  for (int i = 0; i < 40; ++i)
    take(table, tap("tensor_" + std::to_string(i)));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  take(table, taps[30], {1, nan, nan});
  drawn();
  table.flush();
  const std::string text = out.str();
  EXPECT_THAT(text, HasSubstr("tensor_0 "));
  EXPECT_THAT(text, HasSubstr("tensor_1 "));
  EXPECT_THAT(text, Not(HasSubstr("tensor_2 ")));
  EXPECT_THAT(text, HasSubstr("tensor_30     7           2"));
}

TEST_F(WatchTableTest, EverythingIsLeftBehindAtTheEnd) {
  size = {30, 10};
  WatchTable table(out, WatchStyle::live, [this] { return size; });
  for (int i = 0; i < 40; ++i)
    take(table, tap("tensor_" + std::to_string(i)));
  table.flush();
  drawn();
  table.close({});
  EXPECT_EQ(drawn().size(), 41u);
}

TEST_F(WatchTableTest, LongNamesAreFoldedAtTheEnd) {
  size = {83, 10};
  WatchTable table(out, WatchStyle::live, [this] { return size; });
  take(table, tap("a_long_name_of_a_tensor/kernel:0"));
  drawn();
  table.close({});
  const std::vector<std::string> lines = drawn();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[1], ::testing::StartsWith("  a_long_name_of_a_tensor/"));
  EXPECT_EQ(lines[2], "  kernel:0");
  for (const std::string &line : lines)
    EXPECT_LE(line.size(), size.columns) << line;
}

TEST_F(WatchTableTest, AnAlarmShowsTheLargestMagnitude) {
  WatchTable table(out, WatchStyle::plain);
  const std::vector<float> values{1.0f, -2.5f};
  TensorSample sample = sampleOfFloats(values);
  sample.payload = Payload::alarm;
  table.take(tap("k"), Update(7), sample);
  table.flush();
  EXPECT_THAT(out.str(), HasSubstr("k          7           0      2.5     -"));
}

TEST_F(WatchTableTest, GradientsOfTwoMomentsHaveTwoNames) {
  WatchTable table(out, WatchStyle::plain);
  take(table, tap("k_grad", graph::TapMoment::microBatch));
  take(table, tap("k_grad", graph::TapMoment::accumulated));
  table.flush();
  EXPECT_THAT(out.str(), HasSubstr("k_grad_per_micro_batch "));
  EXPECT_THAT(out.str(), HasSubstr("k_grad "));
}

} // namespace
} // namespace popscope::outfeed
