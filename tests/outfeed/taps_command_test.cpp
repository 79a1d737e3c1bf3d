// What popscope taps lists and refuses.
#include "tests/support/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace popscope::host {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(TapsCommand, AFilterThatMatchesNothingIsCalledByItsOption) {
  const tests::CommandResult result =
      tests::runCommand(std::string(POPSCOPE_COMMAND) +
                        " taps --preset mlp --tiles 16 --data " POPSCOPE_DATA
                        "/mnist --gradients-filters Dense_129 Dense_130");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output,
              HasSubstr("popscope: --gradients-filters Dense_129 Dense_130: "
                        "matches nothing; the nearest are Dense_128/"));
  EXPECT_THAT(result.output, HasSubstr("\nDense_10_acts\t"));
}

TEST(TapsCommand, ListsWhatARuleFindsAndItsCost) {
  const tests::CommandResult result =
      tests::runCommand(std::string(POPSCOPE_COMMAND) +
                        " taps --preset cnn --tiles 16 --data " POPSCOPE_DATA
                        "/mnist 'kind:gradient & at:accumulated & numel>4096 "
                        "-> shape'");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output,
              HasSubstr("conv_1/kernel:0_grad\tgradient\taccumulated\t0\tfloat"
                        "\t3x3x32x64\tevery 1\tshape\t340\t"));
  EXPECT_THAT(result.output, Not(HasSubstr("conv_0")));
  EXPECT_THAT(result.output, testing::StartsWith("tensor\tkind\tat\t"));
  EXPECT_THAT(result.output, testing::ContainsRegex("\ntotal\t+[0-9]+\t"));
}

tests::CommandResult taps(const std::string &words) {
  return tests::runCommand(
      std::string(POPSCOPE_COMMAND) +
      " taps --preset cnn --tiles 16 --data " POPSCOPE_DATA "/mnist " + words);
}

TEST(TapsCommand, RulesOfTapAndRulesAloneAddUp) {
  const tests::CommandResult result =
      taps("name:conv_0_acts --tap name:conv_1_acts --json");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output, testing::StartsWith("{\"taps\": ["));
  EXPECT_THAT(result.output, HasSubstr("\"tensor\": \"conv_0_acts\""));
  EXPECT_THAT(result.output, HasSubstr("\"tensor\": \"conv_1_acts\""));
  EXPECT_THAT(result.output, HasSubstr("\"totals\": {\"taps\": 2, "));
}

TEST(TapsCommand, ARuleThatCannotBeReadIsShownWithItsPlace) {
  const tests::CommandResult result = taps("loss 'conv & knd:gradient'");
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_EQ(result.output,
            "popscope: rule 2: no property 'knd'; did you mean kind? "
            "(name, layer, kind, at, dtype, stage, numel); in quotes this is "
            "part of a name\n"
            "  conv & knd:gradient\n"
            "         ^\n");
}

TEST(TapsCommand, WhatChangesNothingIsSaid) {
  EXPECT_THAT(taps("loss --seed 3").output,
              HasSubstr("popscope: --seed changes nothing here"));
  const tests::CommandResult late = taps("'loss @ updates 9' --epochs 1 "
                                         "--gradient-accumulation 2 "
                                         "--steps-per-epoch 8");
  EXPECT_EQ(late.exitCode, 0);
  EXPECT_THAT(late.output, HasSubstr("popscope: rule 1: 'updates 9' is never "
                                     "due; there are 4 updates"));
}

TEST(TapsCommand, NoLineIsWiderThanA80ColumnTerminal) {
  const tests::CommandResult result =
      tests::runCommand("script -qec 'stty cols 80; " POPSCOPE_COMMAND
                        " taps --preset cnn --tiles 16 --data " POPSCOPE_DATA
                        "/mnist' /dev/null");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output, HasSubstr("conv_1/kernel:0_update  update"));
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 80u + 1) << line; // ends in a carriage return
}

} // namespace
} // namespace popscope::host
