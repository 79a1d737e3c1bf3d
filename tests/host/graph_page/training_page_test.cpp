#include "tests/host/graph_page/drawn_training.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::host {
namespace {

using summary::GraphNode;
using summary::Shape;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using tests::attribute;
using tests::cnnTraining;
using tests::drawn;
using tests::fashionTraining;
using tests::node;
using Text = std::string;
using Int = std::int64_t;

// Trainings that differ in everything the page draws.
std::vector<std::pair<graph::TrainingSpec, unsigned>> trainings() {
  std::vector<std::pair<graph::TrainingSpec, unsigned>> all;
  for (const graph::ModelSpec &model :
       {graph::mlpModel(), graph::cnnModel(), graph::gmpCnnModel(),
        graph::fashionModel(), graph::digitsModel()})
    for (const bool pipelined : {false, true})
      for (const graph::OptimizerSpec &optimizer :
           {graph::OptimizerSpec{graph::Sgd{}, 0.1f},
            graph::OptimizerSpec{graph::Sgd{0.9f}, 0.1f},
            graph::OptimizerSpec{graph::RmsProp{}, 0.1f},
            graph::OptimizerSpec{graph::Adam{}, 0.1f}})
        for (const unsigned replicas : {1u, 2u})
          for (const unsigned accumulation : {1u, 4u})
            for (const poplar::Type &precision :
                 {poplar::FLOAT, poplar::HALF}) {
              graph::TrainingSpec spec;
              spec.model = model;
              spec.optimizer = optimizer;
              spec.accumulation = accumulation;
              spec.precision = precision;
              spec.pipelined = pipelined && model.layers.back().stage > 0;
              all.emplace_back(spec, replicas);
            }
  return all;
}

TEST(TrainingPage, EveryTrainingIsAGraphThatThePageCanParse) {
  for (const auto &[spec, replicas] : trainings())
    // Throws for a bad name, for two equal ones, and for an unknown input.
    EXPECT_FALSE(summary::toGraphDef(drawn(spec, replicas)).empty())
        << spec.model.name;
}

TEST(TrainingPage, InputsComeBeforeTheNodesThatTakeThem) {
  for (const auto &[spec, replicas] : trainings()) {
    std::set<std::string> before;
    for (const GraphNode &next : drawn(spec, replicas).nodes) {
      for (const auto *inputs : {&next.inputs, &next.controlInputs})
        for (const std::string &input : *inputs)
          EXPECT_THAT(before, Contains(input.substr(0, input.find(':'))))
              << next.name;
      before.insert(next.name);
    }
  }
}

TEST(TrainingPage, OutputsThatAreTakenHaveAShape) {
  for (const auto &[spec, replicas] : trainings()) {
    const auto page = drawn(spec, replicas);
    for (const GraphNode &next : page.nodes)
      for (const std::string &input : next.inputs) {
        const std::size_t colon = input.find(':');
        const std::size_t output =
            colon == Text::npos ? 0 : std::stoul(input.substr(colon + 1));
        EXPECT_GT(node(page, input.substr(0, colon)).outputShapes.size(),
                  output)
            << next.name << " takes " << input;
      }
  }
}

TEST(TrainingPage, EveryWeightIsUpdatedFromImagesAndLabels) {
  for (const auto &[spec, replicas] : trainings()) {
    const auto page = drawn(spec, replicas);
    unsigned updates = 0;
    for (const GraphNode &next : page.nodes)
      if (next.op.rfind("Apply", 0) == 0) {
        ++updates;
        EXPECT_THAT(tests::dependencies(page, next.name),
                    AllOf(Contains("host/images"), Contains("host/labels"),
                          Contains("host/learning_rate")))
            << next.name;
      }
    unsigned weighted = 0;
    for (const graph::LayerSpec &layer : spec.model.layers)
      weighted += std::holds_alternative<graph::Conv>(layer.kind) ||
                  std::holds_alternative<graph::Dense>(layer.kind);
    EXPECT_EQ(updates, 2 * weighted);
  }
}

TEST(TrainingPage, StagesOfAPipelineAreBoxesOnTheirIpu) {
  const auto page = drawn(cnnTraining());
  EXPECT_THAT(node(page, "stage_0/conv_0/Conv2D").outputShapes,
              ElementsAre(Shape{32, 26, 26, 32}));
  EXPECT_THAT(node(page, "stage_0/conv_1/kernel").outputShapes,
              ElementsAre(Shape{3, 3, 32, 64}));
  EXPECT_THAT(node(page, "stage_1/CopyToIpu").inputs,
              ElementsAre("stage_0/pool_1/MaxPool"));
  EXPECT_THAT(node(page, "stage_1/conv_2/Conv2D").inputs,
              ElementsAre("stage_1/CopyToIpu", "stage_1/conv_2/kernel"));
  for (const GraphNode &next : page.nodes) {
    const Text box = next.name.substr(0, next.name.find('/'));
    EXPECT_EQ(next.device, box == "stage_0"   ? "/device:IPU:0"
                           : box == "stage_1" ? "/device:IPU:1"
                                              : "/device:HOST:0")
        << next.name;
  }
}

TEST(TrainingPage, TrainingOnOneIpuHasNoStages) {
  graph::TrainingSpec unpipelined = cnnTraining();
  unpipelined.pipelined = false;
  for (const auto &page : {drawn(fashionTraining()), drawn(unpipelined)})
    for (const GraphNode &next : page.nodes) {
      EXPECT_THAT(next.name, Not(HasSubstr("stage")));
      EXPECT_NE(next.op, "CopyToIpu");
      EXPECT_EQ(next.device, next.name.rfind("host/", 0) == 0
                                 ? "/device:HOST:0"
                                 : "/device:IPU:0");
    }
}

TEST(TrainingPage, LayersListTheirParameters) {
  const auto page = drawn(cnnTraining());
  const GraphNode &conv = node(page, "stage_0/conv_1/Conv2D");
  EXPECT_EQ(attribute(conv, "kernel"), summary::Attribute(Text("3x3")));
  EXPECT_EQ(attribute(conv, "strides"), summary::Attribute(Text("1x1")));
  EXPECT_EQ(attribute(conv, "padding"), summary::Attribute(Text("valid")));
  EXPECT_EQ(attribute(conv, "filters"), summary::Attribute(Int(64)));
  EXPECT_EQ(attribute(conv, "activation"), summary::Attribute(Text("relu")));
  EXPECT_EQ(attribute(node(page, "stage_0/pool_0/MaxPool"), "window"),
            summary::Attribute(Text("2x2")));
  EXPECT_EQ(attribute(node(page, "stage_1/dropout/Dropout"), "rate"),
            summary::Attribute(0.5f));
  EXPECT_EQ(attribute(node(page, "stage_1/dense/MatMul"), "units"),
            summary::Attribute(Int(10)));
}

TEST(TrainingPage, LossTakesTheLabelsAndGivesItsGradient) {
  const auto page = drawn(cnnTraining());
  EXPECT_THAT(node(page, "stage_1/loss/CrossEntropy").inputs,
              ElementsAre("stage_1/dense/Softmax", "stage_1/loss/labels"));
  EXPECT_THAT(node(page, "stage_1/loss/labels").inputs,
              ElementsAre("host/labels"));
  EXPECT_THAT(node(page, "host/losses").inputs,
              ElementsAre("stage_1/loss/CrossEntropy"));
  EXPECT_THAT(node(page, "stage_1/gradients/dense/bias_grad").inputs,
              ElementsAre("stage_1/loss/CrossEntropy:1"));
}

TEST(TrainingPage, GradientsTakeWhatTheForwardPassSaved) {
  const auto page = drawn(fashionTraining());
  EXPECT_THAT(node(page, "gradients/dense_1/input_grad").inputs,
              ElementsAre("loss/CrossEntropy:1", "dense_1/kernel"));
  EXPECT_THAT(node(page, "gradients/dense_0/activation_grad").inputs,
              ElementsAre("gradients/dense_1/input_grad", "dense_0/Relu"));
  EXPECT_THAT(
      node(page, "gradients/dense_0/kernel_grad").inputs,
      ElementsAre("flatten/Reshape", "gradients/dense_0/activation_grad"));
  // Nothing before the first weights needs a gradient.
  EXPECT_FALSE(tests::has(page, "gradients/dense_0/input_grad"));
}

TEST(TrainingPage, ActivationsWaitInTheStashOfTheirStage) {
  const auto page = drawn(cnnTraining());
  const GraphNode &stash = node(page, "stage_0/stash");
  EXPECT_THAT(stash.inputs,
              ElementsAre("stage_0/images", "stage_0/conv_0/Relu",
                          "stage_0/pool_0/MaxPool", "stage_0/conv_1/Relu",
                          "stage_0/pool_1/MaxPool"));
  EXPECT_EQ(attribute(stash, "slots"), summary::Attribute(Int(2)));
  EXPECT_THAT(node(page, "stage_0/gradients/pool_1/input_grad").inputs,
              ElementsAre("stage_0/stash:3", "stage_0/stash:4",
                          "stage_0/gradients/CopyToIpu"));
  EXPECT_THAT(node(page, "stage_1/gradients/conv_2/kernel_grad").inputs,
              Contains("stage_1/CopyToIpu"));
}

TEST(TrainingPage, DropoutDropsTheSameElementsInBothPasses) {
  const auto page = drawn(cnnTraining());
  const Text seed = "stage_1/dropout/batch_seed";
  EXPECT_THAT(node(page, "stage_1/dropout/Dropout").inputs, Contains(seed));
  EXPECT_THAT(node(page, "stage_1/gradients/dropout/Dropout").inputs,
              Contains(seed));
  EXPECT_THAT(node(page, "stage_1/dropout/next_seed").controlInputs,
              ElementsAre(seed));
}

TEST(TrainingPage, GradientsAreAccumulatedAfterTheReset) {
  const auto page = drawn(cnnTraining());
  const GraphNode &sum = node(page, "stage_0/accumulation/conv_0/kernel");
  EXPECT_THAT(sum.inputs, ElementsAre("stage_0/accumulation/conv_0/kernel_sum",
                                      "stage_0/gradients/conv_0/kernel_grad"));
  EXPECT_THAT(sum.controlInputs, ElementsAre("stage_0/accumulation/reset"));
  EXPECT_EQ(attribute(sum, "batches"), summary::Attribute(Int(16)));
  EXPECT_THAT(drawn(fashionTraining()).nodes,
              Each(Field(&GraphNode::name, Not(HasSubstr("accumulation")))));
}

TEST(TrainingPage, UpdateWaitsForTheGradientsOfAllStages) {
  const auto page = drawn(cnnTraining());
  const GraphNode &ready = node(page, "stage_0/optimizer/all_gradients");
  EXPECT_THAT(ready.inputs, IsEmpty());
  EXPECT_EQ(ready.controlInputs.size(), 8u);
  EXPECT_THAT(ready.controlInputs,
              AllOf(Contains("stage_0/accumulation/conv_0/kernel"),
                    Contains("stage_1/accumulation/dense/bias")));
  for (const GraphNode &next : page.nodes)
    if (next.op == "ApplyRMSProp") {
      EXPECT_THAT(next.controlInputs, ElementsAre(ready.name)) << next.name;
    }
}

TEST(TrainingPage, OptimiserHasItsStateAndParameters) {
  const auto page = drawn(cnnTraining());
  const GraphNode &apply = node(page, "stage_1/optimizer/dense/kernel");
  EXPECT_THAT(apply.inputs,
              ElementsAre("stage_1/dense/kernel",
                          "stage_1/optimizer/dense/kernel_velocity",
                          "stage_1/optimizer/step_size",
                          "stage_1/accumulation/dense/kernel"));
  EXPECT_EQ(attribute(apply, "learning_rate"), summary::Attribute(0.001f));
  EXPECT_EQ(attribute(apply, "rho"), summary::Attribute(0.9f));
  EXPECT_EQ(attribute(apply, "epsilon"), summary::Attribute(1e-7f));
  EXPECT_THAT(node(page, "stage_1/optimizer/step_size").inputs,
              ElementsAre("stage_0/optimizer/learning_rate"));
  EXPECT_THAT(node(page, "stage_0/optimizer/learning_rate").inputs,
              ElementsAre("host/learning_rate"));
}

TEST(TrainingPage, AdamCountsUpdates) {
  const auto page = drawn(fashionTraining());
  EXPECT_THAT(node(page, "optimizer/dense_0/bias").inputs,
              ElementsAre("dense_0/bias", "optimizer/dense_0/bias_momentum",
                          "optimizer/dense_0/bias_velocity",
                          "optimizer/step_size",
                          "gradients/dense_0/bias_grad"));
  EXPECT_THAT(
      node(page, "optimizer/step_size").inputs,
      ElementsAre("optimizer/learning_rate", "optimizer/next_iteration"));
}

TEST(TrainingPage, ReplicasReduceTheGradientsOfEachStage) {
  const auto page = drawn(cnnTraining(), 2);
  const GraphNode &reduce = node(page, "stage_1/AllReduce");
  EXPECT_THAT(reduce.inputs, Each(StartsWith("stage_1/accumulation/")));
  EXPECT_EQ(reduce.inputs.size(), reduce.outputShapes.size());
  EXPECT_THAT(reduce.controlInputs,
              ElementsAre("stage_0/optimizer/all_gradients"));
  EXPECT_EQ(attribute(reduce, "replicas"), summary::Attribute(Int(2)));
  EXPECT_EQ(attribute(reduce, "operator"), summary::Attribute(Text("sum")));
  // The kernel of the last layer is the second gradient to be complete.
  EXPECT_EQ(node(page, "stage_1/optimizer/dense/kernel").inputs.back(),
            "stage_1/AllReduce:1");
  EXPECT_FALSE(tests::has(drawn(cnnTraining()), "stage_1/AllReduce"));
}

TEST(TrainingPage, HalfTrainingRoundsWeightsAndImages) {
  graph::TrainingSpec spec = fashionTraining();
  spec.precision = poplar::HALF;
  const auto page = drawn(spec);
  EXPECT_THAT(node(page, "flatten/Reshape").inputs, ElementsAre("images_half"));
  EXPECT_THAT(node(page, "dense_0/MatMul").inputs,
              ElementsAre("flatten/Reshape", "dense_0/kernel_half"));
  EXPECT_EQ(node(page, "optimizer/dense_0/kernel").inputs.front(),
            "dense_0/kernel");
}

TEST(LayerGraph, HasEveryLayer) {
  for (const auto &[spec, replicas] : trainings())
    EXPECT_EQ(
        describeTraining(spec, replicas, std::nullopt).layers.layers.size(),
        spec.model.layers.size());
}

} // namespace
} // namespace popscope::host
