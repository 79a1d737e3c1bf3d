// What the engine estimates, and where the page shows it.
#include "host/graph_page/node_costs.hpp"
#include "host/train/model/model_engine.hpp"
#include "tests/host/graph_page/drawn_training.hpp"

#include <poplar/IPUModel.hpp>

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace popscope::host {
namespace {

using std::chrono::microseconds;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::StartsWith;
using tests::node;

poplar::Device deviceOf(unsigned ipus, unsigned tiles) {
  poplar::IPUModel model("ipu2");
  model.numIPUs = ipus;
  model.tilesPerIPU = tiles;
  return model.createDevice();
}

std::optional<CostEstimates> estimatesOf(const graph::TrainingSpec &spec,
                                         unsigned replicas = 1,
                                         unsigned tiles = 4) {
  const unsigned ipus = spec.pipelined ? 2 : 1;
  outfeed::SoleInstance alone(replicas);
  ModelEngine model(deviceOf(ipus * replicas, tiles), spec, alone, 1);
  return model.estimatedCosts();
}

std::int64_t number(const summary::GraphDescription &page,
                    const std::string &name, const std::string &key) {
  for (const auto &[attribute, value] : node(page, name).attributes)
    if (attribute == key)
      return std::get<std::int64_t>(value);
  return 0;
}

std::int64_t bytesOf(const summary::Shape &shape) {
  std::int64_t bytes = 4;
  for (const std::int64_t size : shape)
    bytes *= size;
  return bytes;
}

std::uint64_t sumOnThePage(const summary::GraphDescription &page,
                           const std::string &key) {
  std::uint64_t sum = 0;
  for (const summary::GraphNode &next : page.nodes)
    sum += std::uint64_t(number(page, next.name, key));
  return sum;
}

std::uint64_t sumOf(const std::map<std::string, std::uint64_t> &numbers) {
  std::uint64_t sum = 0;
  for (const auto &[name, value] : numbers)
    sum += value;
  return sum;
}

graph::TrainingSpec smallBatches(graph::TrainingSpec spec) {
  spec.batchSize = 4;
  return spec;
}

TEST(CostEstimates, EveryCycleAndByteOfTheTrainingProgramIsOnThePage) {
  graph::TrainingSpec half = smallBatches(tests::fashionTraining());
  half.precision = poplar::HALF;
  graph::TrainingSpec mlp = smallBatches(tests::cnnTraining());
  mlp.model = graph::mlpModel();
  mlp.optimizer = graph::mlpOptimizer();
  graph::TrainingSpec digits = smallBatches(tests::fashionTraining());
  digits.model = graph::digitsModel();
  digits.optimizer = graph::digitsOptimizer();
  graph::TrainingSpec gmp = smallBatches(tests::fashionTraining());
  gmp.model = graph::gmpCnnModel();
  const std::vector<std::pair<graph::TrainingSpec, unsigned>> trainings{
      {smallBatches(tests::cnnTraining()), 1},
      {half, 1},
      {mlp, 1},
      {digits, 1},
      {gmp, 1},
      {gmp, 2}};
  for (const auto &[spec, replicas] : trainings) {
    const auto estimates = estimatesOf(spec, replicas);
    ASSERT_TRUE(estimates);
    const auto page = describeTraining(spec, replicas, estimates).operations;
    EXPECT_EQ(sumOnThePage(page, "estimated_cycles"), sumOf(estimates->cycles))
        << spec.model.name;
    EXPECT_EQ(sumOnThePage(page, "estimated_bytes"), sumOf(estimates->bytes))
        << spec.model.name;
  }
}

TEST(CostEstimates, TensorsHaveTheBytesOfTheirShapes) {
  const graph::TrainingSpec spec = smallBatches(tests::cnnTraining());
  const auto page = describeTraining(spec, 1, estimatesOf(spec)).operations;
  for (const char *name :
       {"stage_0/conv_0/kernel", "stage_1/dense/bias", "stage_0/images",
        "stage_0/conv_1/Conv2D", "stage_0/pool_0/MaxPool",
        "stage_0/gradients/conv_1/kernel_grad",
        "stage_1/accumulation/conv_2/kernel_sum",
        "stage_1/optimizer/conv_2/kernel_velocity"})
    EXPECT_EQ(number(page, name, "estimated_bytes"),
              bytesOf(node(page, name).outputShapes.at(0)))
        << name;
  // A copy to work on, besides the slots; the cursors are small.
  const summary::GraphNode &stash = node(page, "stage_0/stash");
  std::int64_t saved = 0;
  for (const summary::Shape &shape : stash.outputShapes)
    saved += bytesOf(shape);
  EXPECT_EQ(number(page, "stage_0/stash", "estimated_bytes"), 3 * saved + 8);
}

TEST(CostEstimates, LargerProductsCostMore) {
  const graph::TrainingSpec spec = smallBatches(tests::cnnTraining());
  const auto page = describeTraining(spec, 1, estimatesOf(spec)).operations;
  const auto cycles = [&](const char *name) {
    return number(page, name, "estimated_cycles");
  };
  EXPECT_GT(cycles("stage_0/conv_1/Conv2D"), cycles("stage_0/conv_0/Conv2D"));
  EXPECT_GT(cycles("stage_0/conv_1/Conv2D"), cycles("stage_1/dense/MatMul"));
  EXPECT_GT(cycles("stage_1/dense/MatMul"), 0);
}

TEST(CostEstimates, TilesShareTheWorkOfEveryOperation) {
  const graph::TrainingSpec spec = tests::cnnTraining();
  const auto few = estimatesOf(spec, 1, 4), many = estimatesOf(spec, 1, 64);
  for (const char *program :
       {"conv_0/fwd", "conv_0/add_bias", "conv_0/activation", "pool_0/fwd",
        "stage_0/stash/put", "conv_0/bias_grad", "conv_0/kernel_grad",
        "conv_1/kernel:0/rmsprop"})
    EXPECT_LT(8 * many->cycles.at(program), few->cycles.at(program)) << program;
}

// A training of one batch has no loop around it; one with a pipeline has the
// same passes in several loops.
TEST(CostEstimates, PassesOfAPipelineCountOnce) {
  graph::TrainingSpec spec = smallBatches(tests::cnnTraining());
  spec.accumulation = 4;
  const auto few = estimatesOf(spec);
  spec.accumulation = 9;
  const auto many = estimatesOf(spec);
  EXPECT_EQ(few->cycles, many->cycles);
}

TEST(CostEstimates, PredictionIsNotPartOfTheTraining) {
  const auto estimates = estimatesOf(smallBatches(tests::fashionTraining()));
  for (const auto &[program, cycles] : estimates->cycles)
    EXPECT_EQ(program.find("predict"), std::string::npos) << program;
}

TEST(NodeCosts, NodesGetWhatTheirNamesCover) {
  Drawing drawing(1);
  const Place place{"", "ipu"};
  drawing.add(place, Sketch("a").represents("a/fwd"));
  drawing.add(place, Sketch("b").runs("a/fwd/inner"));
  CostEstimates estimates;
  estimates.cycles = {{"a/fwd", 1},
                      {"a/fwd/x/y", 20},
                      {"a/fwd/inner/z", 300},
                      {"a/fwd2", 4000}};
  estimates.bytes = {{"a/fwd/inner", 5}, {"b", 6}};
  estimates.cyclesPerSecond = 1e9;
  addCosts(estimates, 1, drawing.nodes());
  const auto attributes = [&](std::size_t i) {
    std::map<std::string, std::int64_t> numbers;
    for (const auto &[key, value] : drawing.nodes()[i].node.attributes)
      numbers[key] = std::get<std::int64_t>(value);
    return numbers;
  };
  EXPECT_EQ(attributes(0),
            (std::map<std::string, std::int64_t>{{"estimated_cycles", 21},
                                                 {"estimated_bytes", 5}}));
  EXPECT_EQ(attributes(1),
            (std::map<std::string, std::int64_t>{{"estimated_cycles", 300}}));
}

TEST(NodeCosts, ProfileIsTheTimeOfAThousandBatchesAndTheirUpdates) {
  Drawing drawing(1);
  const Place place{"", "ipu"};
  drawing.add(place, Sketch("a").runs("a"));
  drawing.add(place, Sketch("none").runs("none"));
  drawing.add(place.onceAnUpdate(), Sketch("b").runs("b"));
  drawing.add({"", "other"}, Sketch("c").runs("c"));
  CostEstimates estimates;
  estimates.cycles = {{"a", 3000}, {"b", 8000}, {"c", 1}};
  estimates.cyclesPerSecond = 2e9;
  const auto profile = addCosts(estimates, 4, drawing.nodes());
  ASSERT_EQ(profile.nodes.size(), 4u);
  EXPECT_EQ(profile.nodes[0].start, microseconds(0));
  EXPECT_EQ(profile.nodes[0].duration, microseconds(1500));
  EXPECT_EQ(profile.nodes[1].duration, microseconds(0));
  EXPECT_EQ(profile.nodes[1].outputShapes.size(), 1u);
  EXPECT_EQ(profile.nodes[2].node, "b");
  EXPECT_EQ(profile.nodes[2].start, microseconds(1500));
  EXPECT_EQ(profile.nodes[2].duration, microseconds(1000));
  EXPECT_EQ(profile.nodes[3].start, microseconds(0));
  EXPECT_EQ(profile.nodes[3].device, "other");
}

} // namespace
} // namespace popscope::host
