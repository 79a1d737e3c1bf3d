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
  static EpochTable makeFitted() {
    return EpochTable({{"Tapped tensors", [](const auto &) { return true; }}},
                      TableForm::fitted);
  }
  static std::string printed(EpochTable &table,
                             std::size_t columns = std::string::npos) {
    std::ostringstream out;
    table.print(out, 1, columns);
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

TEST_F(EpochTableTest, TheFittedTableHasSignificantDigits) {
  EpochTable table = makeFitted();
  take(table, 0, {1.25e-9f, 1.25e-9f, 1.25e-9f});
  take(table, 0, {1.25e-9f, 1.25e-9f, 1.25e-9f});
  EXPECT_EQ(printed(table),
            "\nTapped tensors in epoch 1\n"
            "  tensor  shape  samples     mean  std      min      max\n"
            "  a_acts      3        2  1.25e-9    0  1.25e-9  1.25e-9\n");
}

TEST_F(EpochTableTest, TheFittedTableCountsWhatIsNotFiniteIfThereIsAny) {
  const float inf = std::numeric_limits<float>::infinity();
  EpochTable table = makeFitted();
  take(table, 0, {1, inf, 3});
  take(table, 1, {NAN, NAN, NAN});
  EXPECT_EQ(printed(table),
            "\nTapped tensors in epoch 1\n"
            "  tensor  shape  samples  mean  std  min  max  nan  pos_inf\n"
            "  a_acts      3        1     2    1    1  inf    0        1\n"
            "  b_acts      3        1     -    -    -    -    3        0\n");
}

TEST_F(EpochTableTest, TheFittedTableFitsTheTerminal) {
  EpochTable table = makeFitted();
  const std::string heading = "  tensor  shape  samples  mean  std  min  max\n";
  const std::string rows[] = {heading,
                              "  tensor  samples  mean  std  min  max\n",
                              "  tensor  mean  std  min  max\n"};
  const std::size_t widths[] = {heading.size() - 1, heading.size() - 2, 30};
  for (std::size_t i = 0; i < 3; ++i) {
    take(table, 0, {1, 1, 1});
    EXPECT_THAT(printed(table, widths[i]), HasSubstr("epoch 1\n" + rows[i]));
  }
}

TEST_F(EpochTableTest, TheFittedTableHasTheMagnitudeOfAnAlarm) {
  EpochTable table = makeFitted(), resumed = makeFitted();
  TensorSample alarm;
  alarm.payload = Payload::alarm;
  alarm.stats.count = 3;
  alarm.stats.absMax = 7;
  table.take(taps[0], Update(0), alarm);
  resumed.restore(taps, table.save());
  const std::string text = printed(table);
  EXPECT_THAT(text, HasSubstr("  tensor  shape  samples  abs_max\n"
                              "  a_acts      3        1        7\n"));
  EXPECT_EQ(printed(resumed), text);
}

TEST_F(EpochTableTest, TheFittedTableSaysThatNoTapWasDue) {
  EpochTable table = makeFitted();
  EXPECT_EQ(printed(table), "\nTapped tensors in epoch 1\n  no tap was due\n");
}

} // namespace
} // namespace popscope::outfeed
