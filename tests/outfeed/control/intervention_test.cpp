// Tensors of running programs that control changes.
#include "tests/graph/small_model.hpp"
#include "tests/outfeed/control/controlled_training.hpp"

#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <pva/pva.hpp>

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::outfeed {
namespace {

using graph::tests::smallSpec;
using graph::tests::TestTrainer;
using graph::tests::TestTrainerOptions;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using tests::Arrived;
using tests::ControlledTraining;

ControlRequest intervening(const std::string &filter, InterventionKind kind,
                           float amount = 0,
                           std::optional<std::uint32_t> updates = {}) {
  ControlRequest request;
  request.interventions = {{filter, {kind, amount}}};
  request.forUpdates = updates;
  return request;
}

constexpr unsigned kElements = 96, kMicroBatches = 2;

// x is 1, 2, 3, ... in every micro-batch, y twice what becomes of it.
class Doubling {
public:
  explicit Doubling(unsigned tiles = 4, poplar::Type type = poplar::FLOAT,
                    std::uint32_t seed = 5)
      : device_(deviceWith(tiles)), graph_(device_.getTarget()), type_(type),
        taps_({}, options(seed)) {
    graph::addCodelets(graph_);
    popops::addCodelets(graph_);
    const poplar::Tensor x = graph_.addVariable(type, {kElements}, "x");
    for (unsigned t = 0; t < tiles; ++t)
      graph_.setTileMapping(
          x.slice(kElements * t / tiles, kElements * (t + 1) / tiles), t);
    poplar::program::Sequence microBatch({poplar::program::Copy(
        graph_.addHostToDeviceFIFO("x", type, kElements), x)});
    taps_.visit(graph_, microBatch,
                {"x", graph::TensorKind::activation,
                 graph::TapMoment::microBatch, 0, x});
    const poplar::Tensor y = popops::add(graph_, x, x, microBatch);
    for (const auto &[name, tensor] : {std::pair("seen", x), {"y", y}})
      microBatch.add(poplar::program::Copy(
          tensor, graph_.addDeviceToHostFIFO(name, type, kElements)));
    taps_.flush(graph_, microBatch, graph::TapMoment::microBatch);
    poplar::program::Sequence update;
    taps_.beginUpdate(graph_, update);
    update.add(poplar::program::Repeat(kMicroBatches, microBatch));
    engine_ = std::make_unique<poplar::Engine>(
        graph_, update, poplar::OptionFlags{{"debug.instrument", "true"}});
    taps_.connect(*engine_);
    connect();
    engine_->load(device_);
  }

  // x and y of all micro-batches of the next update.
  struct Result {
    std::vector<float> x, y;
  };
  Result run() {
    result_ = {};
    engine_->run();
    return result_;
  }
  // The vertices that have run so far.
  std::vector<std::string> executed() {
    std::vector<std::string> names;
    for (const auto &step : engine_->getReport().execution().steps())
      if (step.program()->type() == pva::Program::Type::OnTileExecute)
        names.push_back(step.program()->name());
    return names;
  }
  TapControl &control() { return *taps_.control(); }
  TapSession &taps() { return taps_; }

  static std::vector<float> input() {
    std::vector<float> values;
    for (unsigned i = 0; i < kElements; ++i)
      values.push_back(float(i + 1));
    return values;
  }

private:
  static poplar::Device deviceWith(unsigned tiles) {
    poplar::IPUModel model;
    model.tilesPerIPU = tiles;
    return model.createDevice();
  }
  static TapOptions options(std::uint32_t seed) {
    TapOptions options;
    options.microBatchesPerUpdate = kMicroBatches;
    options.control = true;
    options.interventions = {TensorFilter::parse("x")};
    options.seed = seed;
    return options;
  }
  void connect() {
    engine_->connectStreamToCallback("x", [this](void *to) {
      const std::vector<float> values = input();
      if (type_ == poplar::HALF)
        poplar::copyFloatToDeviceHalf(device_.getTarget(), values.data(), to,
                                      values.size());
      else
        std::memcpy(to, values.data(), values.size() * sizeof(float));
    });
    const auto read = [this](const char *stream, std::vector<float> &all) {
      engine_->connectStreamToCallback(stream, [this, &all](void *from) {
        std::vector<float> values(kElements);
        if (type_ == poplar::HALF)
          poplar::copyDeviceHalfToFloat(device_.getTarget(), from,
                                        values.data(), values.size());
        else
          std::memcpy(values.data(), from, kElements * sizeof(float));
        all.insert(all.end(), values.begin(), values.end());
      });
    };
    read("seen", result_.x);
    read("y", result_.y);
  }

  poplar::Device device_;
  poplar::Graph graph_;
  const poplar::Type type_;
  TapSession taps_;
  std::unique_ptr<poplar::Engine> engine_;
  Result result_;
};

std::vector<float> ofAllMicroBatches(float factor) {
  std::vector<float> values;
  for (unsigned m = 0; m < kMicroBatches; ++m)
    for (const float value : Doubling::input())
      values.push_back(value * factor);
  return values;
}

TEST(Intervention, ChangesTheTensorAndWhatIsComputedFromIt) {
  for (const poplar::Type &type : {poplar::FLOAT, poplar::HALF}) {
    Doubling program(4, type);
    EXPECT_EQ(program.run().y, ofAllMicroBatches(2));
    program.control().apply(intervening("x", InterventionKind::zero));
    const Doubling::Result zero = program.run();
    EXPECT_THAT(zero.x, Each(0.0f));
    EXPECT_THAT(zero.y, Each(0.0f));
    program.control().apply(intervening("x", InterventionKind::scale, -0.5f));
    const Doubling::Result scaled = program.run();
    EXPECT_EQ(scaled.x, ofAllMicroBatches(-0.5f));
    EXPECT_EQ(scaled.y, ofAllMicroBatches(-1));
    EXPECT_EQ(program.run().y, ofAllMicroBatches(2));
  }
}

TEST(Intervention, EndsByItselfOrWhenItIsCanceled) {
  Doubling program;
  program.control().apply(intervening("x", InterventionKind::scale, 3, 4));
  for (unsigned update = 0; update < 6; ++update)
    EXPECT_EQ(program.run().x, ofAllMicroBatches(update < 4 ? 3 : 1)) << update;
  program.control().apply(intervening("x", InterventionKind::scale, 3, 4));
  EXPECT_EQ(program.run().x, ofAllMicroBatches(3));
  ControlRequest cancel;
  cancel.cancel = {"x"};
  program.control().apply(cancel);
  EXPECT_EQ(program.run().x, ofAllMicroBatches(1));
}

TEST(Intervention, RunsAVertexOnlyWhileItIsOn) {
  Doubling program;
  program.run();
  EXPECT_THAT(program.executed(), Not(Contains(HasSubstr("popscope"))));
  program.control().apply(intervening("x", InterventionKind::zero));
  program.run();
  EXPECT_THAT(program.executed(), Contains(HasSubstr("popscope/x/intervene")));
}

std::vector<float> noisy(Doubling &program, unsigned before = 0) {
  for (unsigned update = 0; update < before; ++update)
    program.run();
  program.control().apply(intervening("x", InterventionKind::noise, 0.25f));
  return program.run().x;
}

TEST(Intervention, NoiseHasTheDeviationAskedForAndIsNeverTheSame) {
  Doubling program;
  program.control().apply(
      intervening("x", InterventionKind::noise, 0.25f, 100));
  const std::vector<float> input = Doubling::input();
  double sum = 0, squares = 0;
  std::set<std::vector<float>> microBatches;
  constexpr unsigned kUpdates = 100;
  for (unsigned update = 0; update < kUpdates; ++update) {
    const std::vector<float> x = program.run().x;
    for (unsigned m = 0; m < kMicroBatches; ++m) {
      std::vector<float> noise;
      for (unsigned i = 0; i < kElements; ++i)
        noise.push_back(x[m * kElements + i] - input[i]);
      for (const float value : noise) {
        EXPECT_LT(std::abs(value), 3.47f * 0.25f);
        sum += double(value);
        squares += double(value) * double(value);
      }
      microBatches.insert(noise);
    }
  }
  EXPECT_EQ(microBatches.size(), kUpdates * kMicroBatches);
  const double count = double(kUpdates) * kMicroBatches * kElements;
  // Four standard errors of the mean, and of the deviation.
  EXPECT_NEAR(sum / count, 0, 4 * 0.25 / std::sqrt(count));
  EXPECT_NEAR(std::sqrt(squares / count), 0.25, 4 * 0.25 / std::sqrt(count));
}

TEST(Intervention, NoiseIsTheSameForTheSameSeedAndUpdateOnAnyTiles) {
  Doubling one, again, spread(16), later, other(4, poplar::FLOAT, 6);
  const std::vector<float> noise = noisy(one, 2);
  EXPECT_EQ(noisy(again, 2), noise);
  EXPECT_EQ(noisy(spread, 2), noise);
  EXPECT_NE(noisy(later, 3), noise);
  EXPECT_NE(noisy(other, 2), noise);
}

TEST(Intervention, WhatWasDoneIsDoneAgain) {
  Doubling first;
  first.run();
  const std::vector<float> noise = noisy(first);
  const std::vector<Intervention> done = first.taps().interventions();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(lineOf(done[0]), "intervention at update 1: x given noise of 0.25");
  Doubling second;
  second.control().repeat(
      {parseIntervention(text::parseJson(toJson(done[0])))});
  EXPECT_EQ(second.run().x, ofAllMicroBatches(1));
  EXPECT_EQ(second.run().x, noise);
  EXPECT_EQ(second.run().x, ofAllMicroBatches(1));
}

// Of every tensor that can be changed.
TEST(Intervention, WhatIsAllowedButOffChangesNoBitOfATraining) {
  graph::TrainingSpec spec = smallSpec();
  spec.accumulation = 2;
  spec.pipelined = true;
  for (const poplar::Type &type : {poplar::FLOAT, poplar::HALF}) {
    spec.precision = type;
    TestTrainerOptions options;
    options.ipusPerReplica = options.replicas = 2;
    ControlledTraining allowed(spec, {}, options, true, {"*"});
    TestTrainer plain(spec, options);
    allowed.train(3);
    plain.train(3);
    EXPECT_EQ(allowed.trainer().weights(), plain.weights());
    EXPECT_EQ(allowed.trainer().losses(), plain.losses());
  }
}

TEST(Intervention, ReplicasAgreeOnANoisyWeight) {
  graph::TrainingSpec spec = smallSpec();
  TestTrainerOptions options;
  options.replicas = 2;
  ControlledTraining training(spec, {}, options, false, {"kind:weight"});
  TestTrainer plain(spec, options);
  training.control().apply(
      intervening("kind:weight", InterventionKind::noise, 0.1f, 2));
  training.train(3);
  plain.train(3);
  EXPECT_EQ(training.trainer().weights(0), training.trainer().weights(1));
  EXPECT_NE(training.trainer().weights(0), plain.weights(0));
}

// By plain descent, a gradient of 0 leaves the weight as it is.
TEST(Intervention, AGradientOfZeroFreezesItsWeight) {
  graph::TrainingSpec spec = smallSpec();
  spec.accumulation = 2;
  ControlledTraining training(spec, {"name:hidden/kernel:0_grad"}, {}, false,
                              {"kind:gradient"});
  training.train();
  const auto before = training.trainer().weights();
  training.control().apply(
      intervening("hidden/kernel:0_grad", InterventionKind::zero, 0, 2));
  training.train(2);
  const auto after = training.trainer().weights();
  EXPECT_EQ(after.at("hidden/kernel:0"), before.at("hidden/kernel:0"));
  EXPECT_NE(after.at("out/kernel:0"), before.at("out/kernel:0"));
  training.train();
  EXPECT_NE(training.trainer().weights().at("hidden/kernel:0"),
            after.at("hidden/kernel:0"));
  const Arrived &arrived = training.finish();
  const auto largest = [&](std::uint32_t update) {
    return arrived.last.at({"hidden/kernel:0_grad", update}).stats.absMax;
  };
  EXPECT_GT(largest(0), 0);
  EXPECT_EQ(largest(1), 0); // the tap sees it, too
  EXPECT_EQ(largest(2), 0);
  EXPECT_GT(largest(3), 0);
}

// A gradient is complete for each micro-batch and for the update.
TEST(Intervention, ANameWithSeveralMomentsIsChangedAtTheFirst) {
  graph::TrainingSpec spec = smallSpec();
  ControlledTraining training(spec, {"name:hidden/kernel:0_grad"}, {}, false,
                              {"*"});
  ControlledTraining plain(spec, {"name:hidden/kernel:0_grad"});
  training.control().apply(
      intervening("name:hidden/kernel:0_grad", InterventionKind::scale, 0.5f));
  training.train();
  plain.train();
  const Arrived &changed = training.finish(), &as = plain.finish();
  for (const char *tag :
       {"hidden/kernel:0_grad_per_micro_batch", "hidden/kernel:0_grad"})
    EXPECT_EQ(changed.last.at({tag, 0}).stats.absMax,
              as.last.at({tag, 0}).stats.absMax / 2)
        << tag;
}

TEST(Intervention, IsNamedAsTheCauseOfWhatIsNotFinite) {
  const auto verdictAfter = [](const std::string &filter) {
    ControlledTraining training(smallSpec(), {}, {}, true, {"*"});
    training.train();
    training.control().apply(
        intervening(filter, InterventionKind::noise, 3e38f));
    training.train();
    training.finish();
    return training.session().verdict().value();
  };
  const Verdict own = verdictAfter("name:hidden_preacts");
  EXPECT_EQ(own.tensor.name, "hidden_preacts");
  EXPECT_EQ(own.update, Update(1));
  EXPECT_EQ(own.cause.kind, CauseKind::intervened);
  EXPECT_EQ(own.cause.text, "intervened: given noise of 3e+38");
  // A ReLU is not watched, as it makes nothing bad; what it leads to is.
  const Verdict later = verdictAfter("name:conv_acts");
  EXPECT_EQ(later.tensor.name, "hidden_preacts");
  EXPECT_THAT(later.cause.text, HasSubstr("; after an intervention at update "
                                          "1: conv_acts given noise of 3e+38"));
}

TEST(Intervention, WhatCannotBeChangedIsRefusedWhenTheProgramIsBuilt) {
  const auto refusal = [](const char *filter) -> std::string {
    try {
      ControlledTraining(smallSpec(), {"kind:update"}, {}, false, {filter});
    } catch (const std::invalid_argument &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal("kind:update"), HasSubstr("change the gradient"));
  EXPECT_THAT(refusal("hiden_acts"),
              HasSubstr("no tensor matches 'hiden_acts'; the nearest are"));
}

} // namespace
} // namespace popscope::outfeed
