#include "graph/codelets.hpp"
#include "outfeed/outfeed_layers.hpp"
#include "outfeed/outfeed_optimizer.hpp"

#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>

namespace popscope::outfeed {
namespace {

using poplar::program::Repeat;
using poplar::program::Sequence;
using testing::HasSubstr;
using testing::Not;

class Program {
public:
  explicit Program(unsigned replicas = 1)
      : device_(deviceOf(replicas)),
        graph(device_.getTarget(), poplar::replication_factor(replicas)) {
    graph::addCodelets(graph);
    popops::addCodelets(graph);
  }
  poplar::Tensor add(const char *name, const std::vector<std::size_t> &shape,
                     float value) {
    const poplar::Tensor tensor = graph.addVariable(poplar::FLOAT, shape, name);
    graph.setTileMapping(tensor, 0);
    graph.setInitialValue(tensor, poplar::ArrayRef<float>(std::vector<float>(
                                      tensor.numElements(), value)));
    return tensor;
  }
  const poplar::Device &device() const { return device_; }
  std::string run(OutfeedQueue &queue, unsigned runs, unsigned epoch = 1) {
    poplar::Engine engine(graph, prog);
    queue.connect(engine);
    engine.load(device_);
    for (unsigned i = 0; i < runs; ++i)
      engine.run();
    std::ostringstream out;
    queue.epochEnd(out, epoch);
    return out.str();
  }

private:
  static poplar::Device deviceOf(unsigned ipus) {
    poplar::IPUModel model;
    model.numIPUs = ipus;
    return model.createDevice();
  }

  poplar::Device device_;

public:
  poplar::Graph graph;
  Sequence prog;
};

TEST(OutfeedQueue, PrintsTheTableOfTheTutorial) {
  Program program;
  OutfeedQueue queue("Single layer activations callback");
  const poplar::Tensor x = program.add("x", {4, 2}, 0.25f);
  Outfeed(queue, "Dense_128_acts")(program.graph, x, program.prog);
  EXPECT_EQ(program.run(queue, 5, 3),
            "\nSingle layer activations callback\n"
            "key: Dense_128_acts shape: (5, 4, 2)\n"
            "Epoch 3 - Summary Stats\n"
            "Index Name                Mean         Std          Minimum      "
            "Maximum      NaNs    infs   \n"
            "0     Dense_128_acts      0.250000     0.000000     0.250000     "
            "0.250000     False   False  \n");
}

TEST(OutfeedQueue, FiltersDecideWhatIsEnqueued) {
  Program program;
  OutfeedQueue queue("Multi-layer activations callback", {"Dense_10_", "B"});
  const poplar::Tensor x = program.add("x", {3}, 1.0f);
  MaybeOutfeed(queue, "Dense_128_acts")(program.graph, x, program.prog);
  MaybeOutfeed(queue, "Dense_10_acts", GroupMember::final)(program.graph, x,
                                                           program.prog);
  const std::string text = program.run(queue, 2);
  EXPECT_THAT(text, HasSubstr("key: Dense_10_acts shape: (2, 3)"));
  EXPECT_THAT(text, Not(HasSubstr("Dense_128")));
  EXPECT_EQ(queue.session().program().sources().size(), 1u);
}

TEST(OutfeedQueue, SaysWhenNothingWasEnqueued) {
  Program program;
  OutfeedQueue queue("Empty", {"no such layer"});
  const poplar::Tensor x = program.add("x", {3}, 1.0f);
  MaybeOutfeed(queue, "acts", GroupMember::final)(program.graph, x,
                                                  program.prog);
  EXPECT_EQ(program.run(queue, 2), "\nEmpty\nNo data enqueued\n");
}

// As the tutorial has one of activations and one of gradients.
TEST(OutfeedQueue, TwoShareAProgram) {
  Program program;
  OutfeedQueue activations("Activations"), gradients("Gradients");
  const poplar::Tensor x = program.add("x", {3}, 1.0f);
  const poplar::Tensor y = program.add("y", {4}, 2.0f);
  Outfeed(activations, "x")(program.graph, x, program.prog);
  Outfeed(gradients, "y")(program.graph, y, program.prog);
  poplar::Engine engine(program.graph, program.prog);
  activations.connect(engine);
  gradients.connect(engine);
  engine.load(program.device());
  engine.run();
  std::ostringstream out;
  activations.epochEnd(out, 1);
  EXPECT_THAT(out.str(), HasSubstr("key: x shape: (1, 3)\n"));
  EXPECT_THAT(out.str(), Not(HasSubstr("key: y")));
  gradients.epochEnd(out, 1);
  EXPECT_THAT(out.str(), HasSubstr("key: y shape: (1, 4)\n"));
}

TEST(OutfeedQueue, AGroupNeedsAFinalMember) {
  Program program;
  OutfeedQueue queue("Multi-layer activations callback");
  const poplar::Tensor x = program.add("x", {3}, 1.0f);
  MaybeOutfeed(queue, "Dense_128_acts")(program.graph, x, program.prog);
  EXPECT_THROW(program.run(queue, 1), std::logic_error);
}

TEST(OutfeedQueue, GetsTheTensorsOfAllReplicas) {
  Program program(2);
  TapOptions options;
  options.replicas = 2;
  OutfeedQueue queue("Activations", {}, options);
  const poplar::Tensor x = program.add("x", {4, 2}, 0.25f);
  Outfeed(queue, "x")(program.graph, x, program.prog);
  EXPECT_THAT(program.run(queue, 5), HasSubstr("key: x shape: (10, 4, 2)\n"));
}

TEST(OutfeedQueue, NaNAndInfinitySpreadAsInNumPy) {
  Program program;
  OutfeedQueue queue("Q");
  const poplar::Tensor x = program.add("x", {2}, 1.0f);
  program.graph.setInitialValue(x[0], INFINITY);
  Outfeed(queue, "x")(program.graph, x, program.prog);
  const std::string text = program.run(queue, 1);
  EXPECT_THAT(text, HasSubstr("inf          nan          1.000000     inf      "
                              "    False   True"));
}

// Two micro-batches of gradient 0.5 make one update of 1.
std::string optimise(OptimizerOutfeed mode) {
  Program program;
  OutfeedQueue queue("Gradients callback");
  const poplar::Tensor gradient = program.add("gradient", {3}, 0.5f);
  const poplar::Tensor sum = program.add("sum", {3}, 0.0f);
  const OutfeedOptimizer optimizer(
      queue, mode,
      [&](poplar::Graph &graph, const auto &gradients, Sequence &prog) {
        popops::addInPlace(graph, sum, gradients[0].tensor, prog);
      },
      [](poplar::Graph &graph, const auto &gradients, Sequence &prog) {
        popops::mulInPlace(graph, gradients[0].tensor, 0.0f, prog);
      });
  Sequence microBatch;
  optimizer.computed(program.graph, {{"w:0", gradient}}, microBatch);
  program.prog.add(Repeat(2, microBatch));
  optimizer.apply(program.graph, {{"w:0", sum}}, program.prog);
  return program.run(queue, 3);
}

TEST(OutfeedOptimizer, AfterComputeEnqueuesEveryMicroBatch) {
  EXPECT_THAT(optimise(OptimizerOutfeed::afterCompute),
              HasSubstr("key: w:0_grad shape: (6, 3)\n"));
  EXPECT_THAT(optimise(OptimizerOutfeed::afterCompute), HasSubstr("0.500000"));
}

TEST(OutfeedOptimizer, BeforeApplyEnqueuesEveryUpdate) {
  const std::string text = optimise(OptimizerOutfeed::beforeApply);
  EXPECT_THAT(text, HasSubstr("key: w:0_grad shape: (3, 3)\n"));
  EXPECT_THAT(text, HasSubstr("1.000000"));
}

} // namespace
} // namespace popscope::outfeed
