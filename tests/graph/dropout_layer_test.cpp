#include "graph/layers/dropout_layer.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/codelets.hpp>
#include <poprand/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace popscope::graph {
namespace {

constexpr std::size_t kBatch = 20, kFeatures = 500;

// Ones through a dropout layer, and ones back as the gradient.
class DropoutRun {
public:
  explicit DropoutRun(float rate)
      : device_(poplar::IPUModel("ipu2").createDevice()),
        graph_(device_.getTarget()) {
    popops::addCodelets(graph_);
    poprand::addCodelets(graph_);
    DropoutLayer layer(
        {graph_, plans_, "dropout", poplar::FLOAT, kBatch, {kFeatures}},
        Dropout{rate}, 3);
    graph_.setInitialValue(layer.seed(), 7u);
    const poplar::Tensor ones = graph_.addVariable(
        poplar::FLOAT, {kBatch, kFeatures}, poplar::DebugContext("ones"));
    poputil::mapTensorLinearly(graph_, ones);
    graph_.setInitialValue(ones, 1.0f);
    poplar::program::Sequence forward, backward, predict;
    Saved saved;
    graph_.createHostRead(
        "y", layer.forward(
                 ones, saved, [](const poplar::Tensor &) {}, forward));
    graph_.createHostRead("dx", layer.backward(saved, ones,
                                               Layer::InputGradient::wanted, {},
                                               backward));
    graph_.createHostRead("p", layer.predict(ones, predict));
    engine_ = std::make_unique<poplar::Engine>(
        graph_,
        std::vector<poplar::program::Program>{forward, backward, predict});
    device_.attach();
    engine_->load(device_);
  }

  std::vector<float> forward() { return run(0, "y"); }
  std::vector<float> backward() { return run(1, "dx"); }
  std::vector<float> predict() { return run(2, "p"); }

private:
  std::vector<float> run(unsigned program, const char *handle) {
    engine_->run(program);
    std::vector<float> values(kBatch * kFeatures);
    engine_->readTensor(handle, values.data(), values.data() + values.size());
    return values;
  }

  poplar::Device device_;
  poplar::Graph graph_;
  poplin::PlanningCache plans_;
  std::unique_ptr<poplar::Engine> engine_;
};

TEST(DropoutLayer, ScalesWhatItKeeps) {
  DropoutRun run(0.75f);
  const std::vector<float> y = run.forward();
  for (const float value : y)
    EXPECT_TRUE(value == 0.0f || value == 4.0f) << value;
  // 2500 of 10000 are kept, with a standard deviation of 43.
  const auto kept = std::count(y.begin(), y.end(), 4.0f);
  EXPECT_NEAR(double(kept), 2500.0, 215.0);
}

TEST(DropoutLayer, DropsTheSameInBackward) {
  DropoutRun run(0.5f);
  for (int batch = 0; batch < 3; ++batch) {
    const std::vector<float> y = run.forward();
    EXPECT_EQ(y, run.backward());
  }
}

TEST(DropoutLayer, DropsOthersInTheNextMicroBatch) {
  DropoutRun run(0.5f);
  EXPECT_NE(run.forward(), run.forward());
}

TEST(DropoutLayer, KeepsAllWhenPredictingOrAtRateZero) {
  const std::vector<float> ones(kBatch * kFeatures, 1.0f);
  EXPECT_EQ(DropoutRun(0.5f).predict(), ones);
  EXPECT_EQ(DropoutRun(0.0f).forward(), ones);
}

} // namespace
} // namespace popscope::graph
