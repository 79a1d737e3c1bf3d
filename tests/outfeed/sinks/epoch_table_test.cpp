#include "outfeed/sinks/epoch_table.hpp"

#include <cmath>
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

class EpochTableTest : public ::testing::Test {
protected:
  EpochTableTest() {
    for (const char *name : {"a_acts", "b_acts"}) {
      Tap tap;
      tap.id = TapId(taps.size());
      tap.tensor.name = name;
      tap.tensor.shape = {3};
      taps.push_back(tap);
    }
  }
  static EpochTable make() {
    return EpochTable({{"Tapped tensors", [](const auto &) { return true; }}});
  }
  static std::string printed(EpochTable &table) {
    std::ostringstream out;
    table.print(out, 1);
    return out.str();
  }
  void take(EpochTable &table, std::size_t tap,
            const std::vector<float> &values) const {
    table.take(taps[tap], Update(0), sampleOfFloats(values));
  }

  std::deque<Tap> taps;
};

TEST_F(EpochTableTest, GoesOnWhereAnEarlierStartStopped) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<std::vector<float>> steps = {
      {0.1f, -2, 3}, {1e-3f, 1e6f, 7}, {5, 5, 5.5f}, {-9, 0.7f, 0.3f}};
  EpochTable whole = make(), first = make(), second = make();
  take(whole, 1, {1, inf, 2});
  take(first, 1, {1, inf, 2}); // and never again
  for (std::size_t i = 0; i < steps.size(); ++i) {
    take(whole, 0, steps[i]);
    if (i == 2)
      second.restore(taps, first.save());
    take(i < 2 ? first : second, 0, steps[i]);
  }
  const std::string text = printed(whole);
  EXPECT_THAT(text, HasSubstr("key: a_acts shape: (4, 3)"));
  EXPECT_THAT(text, HasSubstr("key: b_acts shape: (1, 3)"));
  EXPECT_EQ(printed(second), text);
  EXPECT_TRUE(whole.save().empty()) << "it begins anew";
}

TEST_F(EpochTableTest, LeavesOutWhatIsTappedNoMore) {
  EpochTable first = make(), second = make();
  take(first, 0, {1, 2, 3});
  take(first, 1, {1, 2, 3});
  taps.pop_back();
  second.restore(taps, first.save());
  EXPECT_EQ(second.save().size(), 1u);
}

TEST_F(EpochTableTest, ShowsSignificantDigitsWhenAsked) {
  EpochTable decimals = make();
  EpochTable digits({{"Tapped tensors", [](const auto &) { return true; }}},
                    TableNumbers::sixDigits);
  take(decimals, 0, {1.25e-9f, 1.25e-9f, 1.25e-9f});
  take(digits, 0, {1.25e-9f, 1.25e-9f, 1.25e-9f});
  EXPECT_THAT(printed(decimals), HasSubstr("0.000000     0.000000"));
  EXPECT_THAT(printed(digits), HasSubstr("1.25e-09     0 "));
}

TEST_F(EpochTableTest, TheLargestFloatHasAllItsDigits) {
  EpochTable table = make();
  take(table, 0, {3.4e38f, 3.4e38f, 3.4e38f});
  EXPECT_THAT(printed(table),
              HasSubstr("339999995214436424907732413799364296704.000000"));
}

TEST_F(EpochTableTest, TheTutorialsTableReducesAsNumPyDoes) {
  const float inf = std::numeric_limits<float>::infinity();
  EpochTable table = make();
  take(table, 0, {1, inf, 2});
  take(table, 1, {1, NAN, inf});
  const std::string text = printed(table);
  EXPECT_THAT(text, HasSubstr("Mean         Std          Minimum      Maximum "
                              "     NaNs    infs   \n"));
  EXPECT_THAT(text, HasSubstr("a_acts      inf          nan          1.000000 "
                              "    inf          False   True   \n"));
  EXPECT_THAT(text, HasSubstr("b_acts      nan          nan          nan      "
                              "    nan          True    True   \n"));
}

TEST_F(EpochTableTest, AnyOtherTableHasTheStatisticsOfAllSinks) {
  const float inf = std::numeric_limits<float>::infinity();
  EpochTable table({{"Tapped tensors", [](const auto &) { return true; }}},
                   TableNumbers::sixDigits);
  take(table, 0, {1, inf, 3});
  take(table, 1, {NAN, NAN, NAN});
  const std::string text = printed(table);
  EXPECT_THAT(text, HasSubstr("mean         std          min          max     "
                              "     nan     pos_inf neg_inf\n"));
  EXPECT_THAT(text, HasSubstr("a_acts      2            1            1        "
                              "    inf          0       1       0      \n"));
  EXPECT_THAT(text, HasSubstr("b_acts      -            -            -        "
                              "    -            3       0       0      \n"));
}

TEST_F(EpochTableTest, AnAlarmHasNoNumbers) {
  EpochTable table = make();
  TensorSample alarm;
  alarm.payload = Payload::alarm;
  alarm.stats.count = 3;
  table.take(taps[0], Update(0), alarm);
  EXPECT_THAT(printed(table), HasSubstr("0     a_acts      -            -     "
                                        "       -            -            "
                                        "False   False"));
}

} // namespace
} // namespace popscope::outfeed
