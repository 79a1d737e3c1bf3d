// Every check: a trace at which it fires, and one that is as near as can be.
#include "tests/outfeed/checks/trace.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <ostream>

namespace popscope::outfeed {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Case {
  const char *name;
  std::string checks;
  std::function<void(Trace &)> firing, quiet;
  std::vector<std::string> found; // of the firing trace
  std::string text;               // within that of the first
  ProgramFacts facts = threeLayers();
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

// One tensor and statistic, an update each.
std::function<void(Trace &)> series(const std::string &tag, Statistic statistic,
                                    std::vector<double> values) {
  return [=](Trace &trace) {
    for (const double value : values) {
      trace.give(tag, {{statistic, value}});
      trace.end();
    }
  };
}

// The accumulated gradients of a, b and c, with these norms, for n updates.
std::function<void(Trace &)> gradients(double a, double b, double c,
                                       unsigned n = 3) {
  return [=](Trace &trace) {
    for (unsigned i = 0; i < n; ++i) {
      trace.give("a/kernel:0_grad", {{Statistic::l2Norm, a}});
      trace.give("b/kernel:0_grad", {{Statistic::l2Norm, b}});
      trace.give("c/kernel:0_grad", {{Statistic::l2Norm, c}});
      trace.end();
    }
  };
}

std::function<void(Trace &)> ratios(std::vector<double> ratios,
                                    double weight = 2.0) {
  return [=](Trace &trace) {
    for (const double ratio : ratios) {
      trace.give("b/kernel:0_update", {{Statistic::l2Norm, ratio * weight}});
      trace.give("b/kernel:0", {{Statistic::l2Norm, weight}});
      trace.end();
    }
  };
}

// The weight of each replica has this norm.
std::function<void(Trace &)> replicas(std::vector<double> norms) {
  return [=](Trace &trace) {
    for (unsigned replica = 0; replica < norms.size(); ++replica)
      trace.give("a/kernel:0", {{Statistic::l2Norm, norms[replica]}},
                 SampleOrigin{replica, 0});
    trace.end();
  };
}

// Norms of all micro-batches' gradients together, and of the accumulated one.
std::function<void(Trace &)> noise(double micro, double accumulated) {
  return [=](Trace &trace) {
    for (unsigned i = 0; i < 3; ++i) {
      trace.give("a/kernel:0_grad_per_micro_batch",
                 {{Statistic::l2Norm, micro}});
      trace.give("a/kernel:0_grad", {{Statistic::l2Norm, accumulated}});
      trace.end();
    }
  };
}

ProgramFacts fourMicroBatches() {
  ProgramFacts facts = threeLayers();
  facts.microBatchesPerUpdate = 4;
  facts.itemsPerMicroBatch = 8;
  return facts;
}

ProgramFacts threeReplicas() {
  ProgramFacts facts = threeLayers();
  facts.replicas = 3;
  return facts;
}

const Case kCases[] = {
    {"DeadRelu",
     R"({"dead_relu": {"zero_share": 0.875, "samples": 2}})",
     series("b_acts", Statistic::zeroShare, {0.5, 0.875, 0.95, 0.95}),
     series("b_acts", Statistic::zeroShare, {0.9, 0.87, 0.95, 0.5}),
     {"b_acts@2"},
     "95 % are zero, 87.5 % or more for 2 samples"},
    {"Vanishing",
     R"({"vanishing": {"factor": 10, "samples": 2}})",
     gradients(0.001, 0.05, 1),
     gradients(0.02, 0.2, 1.9),
     {"a/kernel:0_grad@1"},
     "falls 31.6 times from layer to layer, more than 10: RMS 0.1 in "
     "c/kernel:0_grad, 0.0001 here"},
    {"VanishingToZero",
     R"({"vanishing": {}})",
     gradients(0, 0, 1, 10),
     gradients(0, 0, 0, 20),
     {"a/kernel:0_grad@9"},
     "falls "},
    {"Exploding",
     R"({"exploding": {"factor": 10, "samples": 2}})",
     gradients(1000, 30, 1),
     gradients(1, 30, 1000),
     {"a/kernel:0_grad@1"},
     "grows 31.6 times from layer to layer"},
    {"ExplodingForward",
     R"({"exploding": {"tensors": "kind:activation", "samples": 1}})",
     [](Trace &trace) {
       trace.give("a_acts", {{Statistic::l2Norm, 1}});
       trace.give("b_acts", {{Statistic::l2Norm, 20}});
       trace.give("c_acts", {{Statistic::l2Norm, 400}});
       trace.end();
     },
     [](Trace &trace) { // two layers are no trend
       trace.give("a_acts", {{Statistic::l2Norm, 1}});
       trace.give("b_acts", {{Statistic::l2Norm, 400}});
       trace.give("c_acts", {{Statistic::l2Norm, kInf}});
       trace.end();
     },
     {"c_acts@0"},
     "grows 20 times from layer to layer"},
    {"FrozenWeight",
     R"({"frozen_weight": {"samples": 3}})",
     series("a/kernel:0", Statistic::l2Norm, {2, 1, 1, 1, 1, 1}),
     series("a/kernel:0", Statistic::l2Norm, {1, 1, 1, 1.0001, 1, 1, 1}),
     {"a/kernel:0@4"},
     "has not changed in 3 samples"},
    {"FrozenWeightByItsFingerprint",
     R"({"frozen_weight": {"samples": 2}})",
     [](Trace &trace) {
       for (unsigned i = 0; i < 3; ++i) {
         trace.give("a/kernel:0",
                    {{Statistic::l2Norm, 1}, {Statistic::fingerprint, 7}});
         trace.end();
       }
     },
     [](Trace &trace) {
       for (unsigned i = 0; i < 9; ++i) {
         trace.give("a/kernel:0",
                    {{Statistic::l2Norm, 1}, {Statistic::fingerprint, 7 + i}});
         trace.end();
       }
     },
     {"a/kernel:0@2"},
     "has not changed in 2 samples"},
    {"UpdateRatioAbove",
     R"({"update_ratio": {"most": 0.125, "samples": 2}})",
     ratios({0.05, 0.2, 0.2, 0.2}),
     ratios({0.2, 0.125, 0.2, 0.05, 0.2}),
     {"b/kernel:0_update@2"},
     "its norm is 0.2 of that of the weight, above 0.125 for 2 samples"},
    {"UpdateRatioBelow",
     R"({"update_ratio": {"least": 0.0625, "samples": 2}})",
     ratios({0.0625, 0.001, 0.001}),
     ratios({0.001, 0.5, 0.001, 0.0625}),
     {"b/kernel:0_update@2"},
     "below 0.0625"},
    {"UpdateRatioToNothing",
     R"({"update_ratio": {"samples": 1}})",
     ratios({1}),
     ratios({1, 1, 1}, 0.0),
     {"b/kernel:0_update@0"},
     "above 0.1"},
    {"Saturation",
     R"({"saturation": {"saturated_share": 0.01}})",
     series("h_preacts", Statistic::saturatedShare, {0.0, 0.011}),
     series("h_preacts", Statistic::saturatedShare, {0.0, 0.01, 0.01}),
     {"h_preacts@1"},
     "1.1 % are at the largest magnitude of half, more than 1 %"},
    {"Spike",
     R"({"spike": {"factor": 4, "warm_up": 2, "memory": 3}})",
     series("loss", Statistic::mean, {1, 1, 1, 4.5}),
     series("loss", Statistic::mean, {1, 100, 1, 4, 2, kInf, 1}),
     {"loss@3"},
     "mean is 4.5 times its running mean, more than 4 times"},
    {"SpikeOfAGradient",
     R"({"spike": {"warm_up": 1}})",
     series("a/kernel:0_grad", Statistic::l2Norm, {0, 0, 1, 1, 100}),
     series("a/kernel:0_grad", Statistic::mean, {1, 1, 100}),
     {"a/kernel:0_grad@4"},
     "l2_norm is 200 times"},
    {"LossNotFalling",
     R"({"loss_not_falling": {"updates": 3, "fall": 0.1, "memory": 1}})",
     series("loss", Statistic::mean, {2, 1, 0.95, 1.5, 0.91}),
     series("loss", Statistic::mean, {2, 1, 0.95, 1.5, 0.89, 1, 1}),
     {"loss@4"},
     "its running mean is 0.91 and has not fallen by 10 % since update 1 (1)"},
    {"ReplicasPart",
     R"({"replicas_part": {}})",
     replicas({2, 1, 2}),
     replicas({2, 2, 2}),
     {"a/kernel:0/replica_1@0"},
     "replica 1 differs from replica 0: l2_norm is 1, not 2",
     threeReplicas()},
    {"TheFirstReplicaParts",
     R"({"replicas_part": {}})",
     replicas({1, 2, 2}),
     replicas({1, 1, 1}),
     {"a/kernel:0/replica_0@0"},
     "replica 0 differs from replica 1",
     threeReplicas()},
    {"GradientNoise",
     R"({"gradient_noise": {"most": 1, "warm_up": 3}})",
     noise(2, 0.6),
     noise(2, 0.9),
     {"a/kernel:0_grad_per_micro_batch@2"},
     "the noise scale of all gradients is 46.5 images, more than 1 times the "
     "32 of an update",
     fourMicroBatches()},
};

class CheckTrace : public testing::TestWithParam<Case> {};

TEST_P(CheckTrace, FiresOnceWhereItShould) {
  Trace trace(GetParam().checks, GetParam().facts);
  GetParam().firing(trace);
  ASSERT_THAT(trace.found(), ElementsAreArray(GetParam().found));
  EXPECT_THAT(trace.checks.findings().front().text, HasSubstr(GetParam().text));
  EXPECT_THAT(trace.checks.lacking(), IsEmpty());
}

TEST_P(CheckTrace, IsQuietIfTheLimitIsNotPassed) {
  Trace trace(GetParam().checks, GetParam().facts);
  GetParam().quiet(trace);
  EXPECT_THAT(trace.found(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Checks, CheckTrace, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

TEST(DeadRelu, LeavesOutWhatOnlyPassesZerosOn) {
  ProgramFacts facts = threeLayers();
  facts.tensors[1].derivation.computation = graph::Computation::pooling;
  Trace trace(R"({"dead_relu": {"samples": 1}})", facts);
  trace.give("a_acts", {{Statistic::zeroShare, 1}});
  trace.give("b_acts", {{Statistic::zeroShare, 1}});
  trace.end();
  EXPECT_THAT(trace.found(), testing::ElementsAre("a_acts@0"));
}

TEST(GradientNoise, DividesByWhatGradientsWereMultipliedWith) {
  for (const bool summed : {false, true}) {
    ProgramFacts facts = fourMicroBatches();
    facts.gradientsAreSummed = summed;
    facts.lossScale = 128;
    Trace trace(R"({"gradient_noise": {"warm_up": 1}})", facts);
    noise(2 * 128, summed ? 0.9 * 4 : 0.9)(trace);
    ASSERT_EQ(trace.checks.measures().size(), 1u);
    // b = 8, B = 32, s = 1, S = 0.81.
    EXPECT_NEAR(trace.checks.measures()[0].value,
                (1 - 0.81) / (1. / 8 - 1. / 32) / ((32 * 0.81 - 8) / 24), 1e-4);
  }
}

} // namespace
} // namespace popscope::outfeed
