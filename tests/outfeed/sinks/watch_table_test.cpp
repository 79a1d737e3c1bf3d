#include "outfeed/sinks/watch_table.hpp"

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
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kNoLimit = std::string::npos;

class WatchTableTest : public ::testing::Test {
protected:
  const Tap &tap(const std::string &name,
                 graph::TapMoment moment = graph::TapMoment::applied) {
    Tap tap;
    tap.id = TapId(taps.size());
    tap.tensor.name = name;
    tap.tensor.kind = graph::TensorKind::gradient;
    tap.tensor.moment = moment;
    tap.tensor.shape = {2, 3};
    return taps.emplace_back(tap);
  }
  void take(const Tap &tap, const std::vector<float> &values = {1, 2, 3},
            Payload payload = Payload::stats) {
    TensorSample sample = sampleOfFloats(values);
    sample.payload = payload;
    table.take(tap, Update(7), sample);
  }
  void takeMany(int count) {
    for (int i = 0; i < count; ++i)
      take(tap("tensor_" + std::to_string(i)));
  }
  std::vector<std::string> printed(std::size_t columns = kNoLimit) const {
    std::ostringstream out;
    table.print(out, columns);
    std::istringstream text(out.str());
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);)
      lines.push_back(line);
    return lines;
  }

  std::deque<Tap> taps; // addresses stay
  WatchTable table;
};

TEST_F(WatchTableTest, HasNothingToShowBeforeTheFirstSample) {
  EXPECT_THAT(table.lines({80, 24}), IsEmpty());
  EXPECT_THAT(printed(), IsEmpty());
}

TEST_F(WatchTableTest, ShowsNoMoreThanFits) {
  takeMany(40);
  const std::vector<std::string> lines = table.lines({30, 10});
  EXPECT_EQ(lines.size(), 10u);
  EXPECT_EQ(lines.back(), "  and 32 more tensors");
  for (const std::string &line : lines)
    EXPECT_LE(line.size(), 30u) << line;
  EXPECT_THAT(table.lines({30, 41}), SizeIs(41u)) << "a larger window";
  EXPECT_THAT(table.lines({30, 1}), IsEmpty());
}

TEST_F(WatchTableTest, WhatIsNotFiniteIsShownFirst) {
  takeMany(40);
  take(taps[30], {1, kNaN, kNaN});
  const std::vector<std::string> lines = table.lines({80, 5});
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(lines[1], StartsWith("  tensor_0 "));
  EXPECT_THAT(lines[2], StartsWith("  tensor_1 "));
  EXPECT_THAT(lines[3], StartsWith("  tensor_30 "));
}

TEST_F(WatchTableTest, TheFirstBadElementIsShownByItsCoordinates) {
  take(tap("good"));
  EXPECT_THAT(table.lines({80, 24})[0], Not(HasSubstr("first_bad")));
  take(tap("bad"), {0, 0, 0, 0, 0, kNaN});
  EXPECT_THAT(table.lines({80, 24})[0], HasSubstr("first_bad"));
  EXPECT_THAT(table.lines({80, 24})[2], HasSubstr("[1,2]"));
}

TEST_F(WatchTableTest, RowsDoNotWrapInATerminalOfEightyColumns) {
  take(tap("conv_1/kernel:0_grad", graph::TapMoment::microBatch),
       {-1.2345e-05f, 2.3456e-05f, 1e-30f});
  take(tap("dense/bias:0"), {-1.2345e-05f, 2.3456e-05f, kNaN});
  for (const std::size_t columns : {40u, 79u, 80u, 100u}) {
    for (const std::string &line : table.lines({columns, 24}))
      EXPECT_LE(line.size(), columns) << line;
  }
  for (const std::string &line : printed(80))
    EXPECT_LE(line.size(), 80u) << line;
  EXPECT_THAT(table.lines({80, 24})[0], HasSubstr("abs_max"));
}

TEST_F(WatchTableTest, LongNamesKeepTheirEnds) {
  take(tap("a_very_long_name_of_a_layer_that_is_deep/kernel:0"));
  EXPECT_THAT(table.lines({60, 24})[1], HasSubstr("a_very"));
  EXPECT_THAT(table.lines({60, 24})[1], HasSubstr("/kernel:0 "));
  EXPECT_THAT(table.lines({60, 24})[1], HasSubstr(".."));
}

TEST_F(WatchTableTest, EverythingIsPrintedAtTheEnd) {
  takeMany(40);
  const std::vector<std::string> lines = printed();
  EXPECT_EQ(lines.size(), 1u + 1u + 40u);
  EXPECT_THAT(lines[1], HasSubstr("zero_share"));
}

TEST_F(WatchTableTest, SaysWhichColumnsHadNoRoomAtTheEnd) {
  take(tap("a_long_name_of_a_tensor/kernel:0"));
  EXPECT_EQ(printed(70).back(), "  too narrow for: max, min, zero_share");
}

TEST_F(WatchTableTest, AColumnWithoutNumbersIsLeftOut) {
  take(tap("k"), {1.0f, -2.5f}, Payload::alarm);
  const std::vector<std::string> lines = printed();
  EXPECT_EQ(lines[1], "  tensor  update  nan  abs_max");
  EXPECT_EQ(lines[2], "  k            7    0      2.5");
  take(tap("l"), {1.0f, -2.5f});
  EXPECT_THAT(printed()[1], HasSubstr("mean"));
}

TEST_F(WatchTableTest, AnInfiniteElementShowsAsInfinite) {
  take(tap("k"), {1, -kInf, 3});
  take(tap("l"), {kNaN, kNaN, kNaN});
  const std::vector<std::string> lines = printed();
  EXPECT_EQ(lines[1], "  tensor  update  nan  neg_inf  first_bad  abs_max  mean"
                      "  std   min  max  zero_share");
  EXPECT_EQ(lines[2], "  k            7    0        1  [0,1]          inf     2"
                      "    1  -inf    3       0.000");
  EXPECT_EQ(lines[3], "  l            7    3        -  [0,0]            -     -"
                      "    -     -    -       0.000");
}

TEST_F(WatchTableTest, GradientsOfTwoMomentsHaveTwoNames) {
  take(tap("k_grad", graph::TapMoment::microBatch));
  take(tap("k_grad", graph::TapMoment::accumulated));
  EXPECT_THAT(printed()[2], HasSubstr("k_grad_per_micro_batch "));
  EXPECT_THAT(printed()[3], HasSubstr("k_grad "));
}

} // namespace
} // namespace popscope::outfeed
