// A rule that is due now and then tells nothing less of what is watched anyway.
#include "tests/outfeed/health/watched_training.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::outfeed {
namespace {

using graph::tests::smallSpec;
using testing::HasSubstr;
using tests::Variant;
using tests::Watched;

std::string storyOf(const graph::TrainingSpec &spec, const Variant &variant,
                    const std::string &fault, const std::string &rule) {
  Watched::Extras extras;
  if (!rule.empty())
    extras.rules.push_back(parseTapRule(rule));
  const auto verdict =
      Watched(spec, variant, fault, std::move(extras)).train(8);
  if (!verdict)
    return "";
  std::string story = firstLine(*verdict);
  for (const std::string &line : laterLines(*verdict))
    story += "\n" + line;
  return story;
}

class SparseRules : public testing::TestWithParam<Variant> {};

TEST_P(SparseRules, ChangeNoWordOfTheVerdict) {
  graph::TrainingSpec spec = smallSpec();
  spec.precision = poplar::HALF;
  const char *const faults[] = {
      "scale:hidden/kernel:0@update=5,factor=1e7", // reads a pooling
      "nan:conv_preacts@update=6"};                // hidden by a ReLU
  for (const char *const fault : faults) {
    SCOPED_TRACE(fault);
    const std::string story = storyOf(spec, GetParam(), fault, "");
    EXPECT_THAT(story, HasSubstr(fault[0] == 's' ? "overflow of half"
                                                 : "the ReLU of conv"));
    for (const char *const rule :
         {"kind:activation @ every 8 -> stats", "* @ every 4 -> shape",
          "* @ updates 1,3 -> full"})
      EXPECT_EQ(storyOf(spec, GetParam(), fault, rule), story) << rule;
  }
}

INSTANTIATE_TEST_SUITE_P(, SparseRules,
                         testing::Values(Variant{"Plain"},
                                         Variant{"Accumulated", 3},
                                         Variant{"Pipelined", 4, true},
                                         Variant{"Replicated", 1, false, 2}),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace popscope::outfeed
