// Faults planted in trainings and in a program written by hand: every time the
// planted place is blamed, and none that only passed it on.
#include "tests/outfeed/health/watched_training.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace popscope::outfeed {
namespace {

using graph::TapMoment;
using graph::TensorKind;
using graph::tests::smallSpec;
using graph::tests::TestTrainer;
using graph::tests::TestTrainerOptions;
using testing::HasSubstr;
using tests::Variant;
using tests::Watched;

graph::TrainingSpec specWithState() {
  graph::TrainingSpec spec = smallSpec();
  spec.optimizer = {graph::Adam{}, 0.01f};
  return spec;
}

class PlantedFaults : public testing::TestWithParam<Variant> {};

TEST_P(PlantedFaults, AreBlamedWhereTheyWerePlanted) {
  const Variant &variant = GetParam();
  const Watched names(specWithState(), variant, "");
  unsigned tried = 0;
  for (const TensorTraits &tensor : names.plan().tensors()) {
    // One half of the points in each variant, another half in the next.
    if (++tried % 2 != unsigned(variant.accumulation > 1))
      continue;
    std::string fault =
        "nan:" + tensor.name + "@update=2,at=" + nameOf(tensor.moment);
    const unsigned microBatch =
        tensor.moment == TapMoment::microBatch ? variant.accumulation - 1 : 0;
    fault += ",micro_batch=" + std::to_string(microBatch);
    // After the reduction all replicas have the same.
    const unsigned replica =
        tensor.moment == TapMoment::microBatch ? variant.replicas - 1 : 0;
    if (tensor.moment == TapMoment::microBatch)
      fault += ",replica=" + std::to_string(replica);
    SCOPED_TRACE(fault);
    const auto verdict = Watched(specWithState(), variant, fault).train(4);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->tensor.name, tensor.name);
    EXPECT_EQ(verdict->tensor.moment, tensor.moment);
    EXPECT_EQ(verdict->update, Update(2));
    EXPECT_EQ(verdict->origin.microBatch, microBatch);
    EXPECT_EQ(verdict->origin.replica, replica);
    EXPECT_EQ(verdict->health.nan, 1u);
    EXPECT_EQ(verdict->health.firstBad, 0u);
    EXPECT_EQ(verdict->cause.kind, CauseKind::injected);
  }
}

TEST(UnusedElements, AreRefusedAsPlacesOfAFault) {
  graph::TrainingSpec spec = smallSpec();
  spec.model.input = {7, 7, 1}; // pooling reads 256 of 400 activations
  const Watched last(spec, {"plain"}, "nan:conv_acts@update=1,index=255");
  try {
    const Watched next(spec, {"plain"}, "nan:conv_acts@update=1,index=256");
    FAIL();
  } catch (const std::invalid_argument &error) {
    EXPECT_THAT(error.what(),
                HasSubstr("index=256': index is at most 255, since the program "
                          "uses 256 of the 400 elements of conv_acts"));
  }
}

TEST_P(PlantedFaults, InTheDataAreCalledSo) {
  // An image of one micro-batch of the last replica is spoilt on the host.
  const Variant &variant = GetParam();
  const unsigned last = variant.accumulation - 1;
  Watched watched(smallSpec(), variant, "");
  watched.trainer().engine().connectStreamToCallback(
      graph::streams::kTrainImages, variant.replicas - 1,
      [count = 0u, spoilt = variant.accumulation + last](void *to) mutable {
        std::vector<float> images(4 * 6 * 6, 0.5f);
        if (count++ == spoilt)
          images[40] = std::numeric_limits<float>::quiet_NaN();
        std::copy(images.begin(), images.end(), static_cast<float *>(to));
      });
  const auto verdict = watched.train(3);
  ASSERT_TRUE(verdict);
  std::string place = "update 1";
  if (variant.accumulation > 1)
    place += ", micro-batch " + std::to_string(last);
  if (variant.replicas > 1)
    place += ", replica 1";
  EXPECT_EQ(firstLine(*verdict),
            "first not finite: " + place +
                ", input (input, stage 0): 1 of 144 are NaN, first at "
                "[1,0,4,0]: already in the data");
}

TEST_P(PlantedFaults, ThatOverflowHalfAreToldFromTheInputs) {
  graph::TrainingSpec spec = smallSpec();
  spec.precision = poplar::HALF;
  spec.optimizer = {graph::Sgd{}, 3e4f};
  const auto verdict = Watched(spec, GetParam(), "").train(5);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->cause.kind, CauseKind::overflow) << firstLine(*verdict);
  EXPECT_THAT(firstLine(*verdict), HasSubstr("its inputs were finite ("));
  EXPECT_EQ(verdict->tensor.kind, TensorKind::preactivation)
      << firstLine(*verdict);
}

TEST_P(PlantedFaults, ThatOverflowTheOptimizersStateAreToldFromTheGradient) {
  graph::TrainingSpec spec = smallSpec();
  spec.optimizer = {graph::RmsProp{}, 1e-3f};
  const auto verdict =
      Watched(spec, GetParam(),
              "scale:hidden/kernel:0_grad@update=1,at=microBatch,factor=1e25")
          .train(2);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->tensor.name, "hidden/kernel:0_rms");
  EXPECT_EQ(verdict->cause.kind, CauseKind::overflow) << firstLine(*verdict);
}

INSTANTIATE_TEST_SUITE_P(, PlantedFaults,
                         testing::Values(Variant{"Plain"},
                                         Variant{"Accumulated", 3},
                                         Variant{"Pipelined", 4, true},
                                         Variant{"Replicated", 1, false, 2}),
                         [](const auto &info) { return info.param.name; });

TEST(PlantedFault, HiddenByAReluIsBlamedAndTheHiderNamed) {
  const auto verdict =
      Watched(smallSpec(), {"plain"}, "nan:conv_preacts@update=1,index=5")
          .train(3);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->tensor.name, "conv_preacts");
  EXPECT_EQ(verdict->health.firstBad, 5u);
  ASSERT_FALSE(verdict->hiders.empty());
  EXPECT_EQ(verdict->hiders[0].name, "conv");
  EXPECT_TRUE(verdict->followers.empty());
}

TEST(PlantedFault, HiddenByAMaxPoolingIsBlamedAndTheHiderNamed) {
  const auto verdict =
      Watched(smallSpec(), {"plain"}, "nan:conv_acts@update=1").train(2);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->tensor.name, "conv_acts");
  ASSERT_FALSE(verdict->hiders.empty());
  EXPECT_EQ(verdict->hiders[0].name, "pool");
}

TEST(PlantedFault, HiddenByADropoutIsBlamedAndTheHiderNamed) {
  graph::TrainingSpec spec = smallSpec();
  spec.model.layers.insert(spec.model.layers.begin() + 2,
                           {"dropout", graph::Dropout{0.7f}, 0});
  // Elements that the dropout keeps stay bad and are no hidden ones.
  unsigned hidden = 0, passedOn = 0;
  for (unsigned index = 0; index < 8; ++index) {
    const auto verdict =
        Watched(spec, {"plain"},
                "nan:pool_acts@update=1,index=" + std::to_string(index))
            .train(2);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->tensor.name, "pool_acts");
    const bool isHidden = !verdict->hiders.empty();
    EXPECT_EQ(isHidden, verdict->followers.empty());
    if (isHidden) {
      EXPECT_EQ(verdict->hiders[0].name, "dropout");
    }
    ++(isHidden ? hidden : passedOn);
  }
  EXPECT_GT(hidden, 0u);
  EXPECT_GT(passedOn, 0u);
}

TEST(Health, ChangesNoBitOfTheWeights) {
  for (const Variant &variant :
       {Variant{"plain"}, Variant{"pipelined", 4, true}}) {
    graph::TrainingSpec spec = specWithState();
    Watched watched(spec, variant, "");
    EXPECT_FALSE(watched.train(4));
    spec.accumulation = variant.accumulation;
    spec.pipelined = variant.pipelined;
    TestTrainerOptions machine;
    machine.ipusPerReplica = variant.pipelined ? 2 : 1;
    TestTrainer quiet(spec, machine);
    quiet.train(4);
    EXPECT_TRUE(quiet.weights() == watched.trainer().weights());
  }
}

} // namespace
} // namespace popscope::outfeed
