#include "host/plan/options/learning_rate_schedule.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace popscope::host {
namespace {

std::vector<float> firstRates(const LearningRateSchedule &schedule) {
  std::vector<float> rates;
  for (unsigned epoch = 0; epoch < 5; ++epoch)
    rates.push_back(schedule.at(epoch));
  return rates;
}

TEST(LearningRateSchedule, EpochsAreCountedFromOneInTexts) {
  const auto schedule = LearningRateSchedule::parse("0.2,0.02@2,1e-3@4");
  EXPECT_EQ(firstRates(schedule),
            (std::vector<float>{0.2f, 0.02f, 0.02f, 1e-3f, 1e-3f}));
  EXPECT_FALSE(schedule.isConstant());
  EXPECT_TRUE(LearningRateSchedule::parse("0.2").isConstant());
}

TEST(LearningRateSchedule, TextsReadBackTheSame) {
  for (const char *text : {"0.2", "0.2,0.02@2,0.001@4", "1e-30", "0.1,3@10"}) {
    EXPECT_EQ(LearningRateSchedule::parse(text).text(), text);
  }
  EXPECT_EQ(LearningRateSchedule(0.2f).then(6, 0.02f).text(), "0.2,0.02@7");
}

TEST(LearningRateSchedule, BadTextsAreNamed) {
  const auto refused = [](const char *text) -> std::string {
    try {
      LearningRateSchedule::parse(text);
    } catch (const std::invalid_argument &error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(refused(""), "'' is not a positive number");
  EXPECT_EQ(refused("0"), "0 is not a positive number");
  EXPECT_EQ(refused("nan"), "nan is not a positive number");
  EXPECT_EQ(refused("0x10"), "0x10 is not a positive number");
  EXPECT_EQ(refused(" 1"), " 1 is not a positive number");
  EXPECT_EQ(refused("1e39"),
            "1e39 is too large for a float: at most 3.4028235e+38");
  EXPECT_EQ(refused("1e-50"),
            "1e-50 is too small for a float: at least 1.1754944e-38");
  EXPECT_EQ(refused("inf"), "inf is not a positive number");
  EXPECT_EQ(refused("0.1x"), "0.1x is not a positive number");
  EXPECT_EQ(refused("0.1,0.2"), "0.2 has no epoch: write 0.2@EPOCH");
  EXPECT_EQ(refused("0.1,-1@3"), "-1 is not a positive number");
  EXPECT_EQ(refused("0.1,0.2@"), "'' is not an epoch");
  EXPECT_EQ(refused("0.1,0.2@x"), "'x' is not an epoch");
  EXPECT_EQ(refused("0.1,0.2@4294967296"),
            "epoch 4294967296 is too large: at most 4294967295");
  EXPECT_EQ(refused("0.1,0.2@99999999999999999999"),
            "epoch 99999999999999999999 is too large: at most 4294967295");
  EXPECT_EQ(refused("0.1,"), "a rate is missing in 0.1,");
  EXPECT_EQ(refused("0.1,,0.2@3"), "a rate is missing in 0.1,,0.2@3");
  EXPECT_EQ(refused("0.1@2"),
            "0.1@2 comes first and holds from epoch 1 on: write 0.1");
  EXPECT_EQ(refused("0.1,0.2@1"), "0.2@1 must begin after epoch 1");
  EXPECT_EQ(refused("0.1,0.2@5,0.3@5"), "0.3@5 must begin after epoch 5");
}

TEST(LearningRateSchedule, ChangedHasTheOldRatesBeforeAndTheNewFromThenOn) {
  const auto changed = [](const char *before, unsigned epoch,
                          const char *later) {
    return LearningRateSchedule::parse(before)
        .changedAt(epoch, LearningRateSchedule::parse(later))
        .text();
  };
  EXPECT_EQ(changed("0.1", 0, "0.2"), "0.2");
  EXPECT_EQ(changed("0.1", 3, "0.2"), "0.1,0.2@4");
  EXPECT_EQ(changed("0.1", 3, "0.1"), "0.1");
  EXPECT_EQ(changed("0.1,0.2@2,0.3@9", 3, "0.4"), "0.1,0.2@2,0.4@4");
  EXPECT_EQ(changed("0.1", 3, "0.4,0.3@2,0.2@8"), "0.1,0.3@4,0.2@8");
  EXPECT_EQ(changed("0.1,0.2@4", 5, "0.2"), "0.1,0.2@4") << "asked for again";
  EXPECT_EQ(changed("0.1,0.2@4", 1, "0.1,0.2@4"), "0.1,0.2@4");
}

} // namespace
} // namespace popscope::host
