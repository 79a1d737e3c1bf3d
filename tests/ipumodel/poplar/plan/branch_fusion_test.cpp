// Operations are combined across a branch that is not taken, and the results
// are the same. Long, because each way to lose one has a program.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>
#include <pva/pva.hpp>

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace poplar;
using program::Copy;
using program::Execute;
using program::If;
using program::Sequence;

namespace {

// A convolution with bias and ReLU. Before the ReLU a branch copies what it is
// applied to; the word that decides on the branch may be computed in between.
// An else part makes it zero.
class BranchedBlock {
public:
  explicit BranchedBlock(bool decidesInBetween, bool hasElsePart = false)
      : graph_(device_.getTarget()) {
    const poplin::ConvParams params(FLOAT, 4, {6, 6}, {3, 3}, 2, 3, 1);
    const Tensor x = poplin::createInput(graph_, params, "x");
    const Tensor w = poplin::createWeights(graph_, params, "w");
    const Tensor taken = add(INT, {}, "taken");
    const Tensor one = graph_.addConstant(INT, {}, 1);
    graph_.setTileMapping(one, 0);
    Sequence prog;
    const Tensor z = poplin::convolution(graph_, x, w, params, false, prog);
    const Tensor b = poplin::createBiases(graph_, z, "b");
    poplin::addBias(graph_, z, b, prog);
    const Tensor seen = graph_.clone(z, "seen");
    if (decidesInBetween)
      popops::subInPlace(graph_, taken, one, prog);
    Sequence elsePart;
    if (hasElsePart)
      popops::subInPlace(graph_, z, z, elsePart);
    prog.add(If(taken, Copy(z, seen), elsePart));
    popnn::nonLinearityInPlace(graph_, popnn::NonLinearityType::RELU, z, prog);
    for (const auto &[name, tensor] :
         {std::pair("x", x), {"w", w}, {"b", b}, {"seen", seen}, {"z", z}}) {
      graph_.createHostWrite(name, tensor);
      graph_.createHostRead(name, tensor);
      sizes_[name] = tensor.numElements();
    }
    engine_ = std::make_unique<Engine>(graph_, prog);
    engine_->load(device_);
    std::mt19937 random(5);
    for (const auto &[name, size] : sizes_) {
      std::vector<float> values(size);
      for (float &value : values)
        value = float(int(random() % 17)) / 4 - 2;
      engine_->writeTensor(name, values.data(), values.data() + size);
    }
  }

  void run(int taken) {
    engine_->writeTensor("taken", &taken, &taken + 1);
    engine_->run();
  }
  std::vector<float> read(const std::string &name) {
    std::vector<float> values(sizes_.at(name));
    engine_->readTensor(name, values.data(), values.data() + values.size());
    return values;
  }
  // Operations and copies in the compiled program.
  std::size_t steps() {
    return engine_->getReport().compilation().programs().size();
  }

private:
  Tensor add(const Type &type, const std::vector<std::size_t> &shape,
             const char *name) {
    const Tensor tensor = graph_.addVariable(type, shape, name);
    graph_.setTileMapping(tensor, 0);
    graph_.createHostWrite(name, tensor);
    return tensor;
  }

  Device device_ = IPUModel().createDevice();
  Graph graph_;
  std::map<std::string, std::size_t> sizes_;
  std::unique_ptr<Engine> engine_;
};

using Seen = std::vector<std::vector<float>>;

// The tensors after each of several runs, some of which take the branch.
Seen results(bool decidesInBetween) {
  BranchedBlock block(decidesInBetween);
  Seen seen;
  for (const int taken : {0, 1, 1, 0, 0, 1}) {
    block.run(taken);
    for (const char *name : {"seen", "z"})
      seen.push_back(block.read(name));
  }
  return seen;
}

TEST(BranchFusion, GivesWhatSeparateOperationsGive) {
  for (const bool decidesInBetween : {false, true}) {
    const Seen fused = results(decidesInBetween);
    const ScopedEnv off("IPUMODEL_FUSION", "0");
    EXPECT_EQ(fused, results(decidesInBetween)) << decidesInBetween;
  }
}

TEST(BranchFusion, ABranchSeesWhatIsThereBeforeTheNextOperation) {
  BranchedBlock block(false);
  const std::vector<float> before = block.read("seen");
  block.run(0);
  EXPECT_EQ(block.read("seen"), before);
  block.run(1);
  std::vector<float> seen = block.read("seen");
  EXPECT_LT(*std::min_element(seen.begin(), seen.end()), 0);
  for (float &value : seen)
    value = std::max(value, 0.0f);
  EXPECT_EQ(block.read("z"), seen);
}

TEST(BranchFusion, AnElsePartRuns) {
  BranchedBlock block(false, true);
  block.run(0);
  const std::vector<float> z = block.read("z");
  EXPECT_EQ(z, std::vector<float>(z.size(), 0.0f));
}

TEST(BranchFusion, AnOperationIsInTheProfileOnce) {
  const std::size_t fused = BranchedBlock(false).steps();
  const ScopedEnv off("IPUMODEL_FUSION", "0");
  EXPECT_EQ(fused, BranchedBlock(false).steps());
}

// A convolution and a ReLU. Vertices look at what the convolution makes, some
// always, some in a branch that comes before the convolution or after it.
class LookedAtBlock {
public:
  enum class Branch { none, before, after };

  explicit LookedAtBlock(Branch branch) : graph_(device_.getTarget()) {
    std::stringstream codelets(R"(
#include <poplar/Vertex.hpp>
class Look : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<float> first;
  poplar::Output<unsigned> where; // the place in memory
  bool compute() {
    *first = in[0];
    *where = unsigned(reinterpret_cast<unsigned long>(&in[0]));
    return true;
  }
};
)");
    graph_.addCodelets(codelets);
    const poplin::ConvParams params(FLOAT, kBatch, {6, 6}, {3, 3}, 2, 3, 1);
    const Tensor x = poplin::createInput(graph_, params, "x");
    const Tensor w = poplin::createWeights(graph_, params, "w");
    const Tensor taken = graph_.addVariable(INT, {}, "taken");
    graph_.setTileMapping(taken, 0);
    Sequence prog, made;
    const Tensor z = poplin::convolution(graph_, x, w, params, false, made);
    // A line of operations begins with one.
    popops::mulInPlace(graph_, x, 1.25f, prog);
    if (branch == Branch::before)
      prog.add(If(taken, look(z, "in_branch"), Sequence()));
    prog.add(made);
    prog.add(look(z, "always"));
    if (branch == Branch::after)
      prog.add(If(taken, look(z, "in_branch"), Sequence()));
    const Tensor y =
        popnn::nonLinearity(graph_, popnn::NonLinearityType::RELU, z, prog);
    graph_.createHostWrite("taken", taken);
    graph_.createHostWrite("x", x);
    graph_.createHostWrite("w", w);
    graph_.createHostRead("y", y);
    engine_ = std::make_unique<Engine>(graph_, prog);
    engine_->load(device_);
    std::mt19937 random(5);
    for (const auto &[name, size] :
         {std::pair("x", x.numElements()), {"w", w.numElements()}}) {
      std::vector<float> values(size);
      for (float &value : values)
        value = float(int(random() % 17)) / 4 - 2;
      engine_->writeTensor(name, values.data(), values.data() + size);
    }
    results_ = y.numElements();
  }

  void run(int taken) {
    engine_->writeTensor("taken", &taken, &taken + 1);
    engine_->run();
  }
  // The first element of each item.
  std::vector<float> firsts(const std::string &of) {
    std::vector<float> values(kBatch);
    engine_->readTensor(of, values.data(), values.data() + kBatch);
    return values;
  }
  std::vector<float> results() {
    std::vector<float> values(results_);
    engine_->readTensor("y", values.data(), values.data() + results_);
    return values;
  }
  // Whether every item has a place of its own.
  bool isStored() {
    std::vector<unsigned> places(kBatch);
    engine_->readTensor("always/where", places.data(), places.data() + kBatch);
    return std::set<unsigned>(places.begin(), places.end()).size() == kBatch;
  }

private:
  static constexpr std::size_t kBatch = 16; // two items for each group

  Execute look(const Tensor &z, const std::string &name) {
    const ComputeSet set = graph_.addComputeSet(name);
    const Tensor first = graph_.addVariable(FLOAT, {kBatch}, name);
    const Tensor where = graph_.addVariable(UNSIGNED_INT, {kBatch}, name);
    for (const Tensor &tensor : {first, where})
      graph_.setTileMapping(tensor, 0);
    for (std::size_t i = 0; i < kBatch; ++i) {
      const VertexRef vertex =
          graph_.addVertex(set, "Look",
                           {{"in", z[i].dimRoll(0, 2).flatten()},
                            {"first", first[i]},
                            {"where", where[i]}});
      graph_.setTileMapping(vertex, 0);
    }
    graph_.createHostRead(name, first);
    graph_.createHostRead(name + "/where", where);
    return Execute(set);
  }

  Device device_ = IPUModel().createDevice();
  Graph graph_;
  std::size_t results_ = 0;
  std::unique_ptr<Engine> engine_;
};

TEST(BranchFusion, WhatOnlyASkippedBranchReadsIsNotStored) {
  for (const auto branch :
       {LookedAtBlock::Branch::none, LookedAtBlock::Branch::after}) {
    LookedAtBlock block(branch);
    block.run(0);
    EXPECT_FALSE(block.isStored());
  }
  const ScopedEnv off("IPUMODEL_FUSION", "-branches");
  LookedAtBlock block(LookedAtBlock::Branch::after);
  block.run(0);
  EXPECT_TRUE(block.isStored());
}

TEST(BranchFusion, ABranchSeesWhatEarlierRunsDidNotStore) {
  LookedAtBlock block(LookedAtBlock::Branch::after);
  for (const int taken : {0, 1, 0, 0, 1}) {
    block.run(taken);
    if (taken) {
      EXPECT_EQ(block.firsts("in_branch"), block.firsts("always"));
    }
  }
}

TEST(BranchFusion, ABranchBeforeAnOperationSeesWhatTheLastRunMade) {
  LookedAtBlock block(LookedAtBlock::Branch::before);
  std::vector<float> last = block.firsts("in_branch");
  for (const int taken : {0, 1, 0, 0, 1}) {
    block.run(taken);
    if (taken) {
      EXPECT_EQ(block.firsts("in_branch"), last);
    }
    last = block.firsts("always");
  }
}

TEST(BranchFusion, GivesTheSameWhereverTheBranchIs) {
  LookedAtBlock none(LookedAtBlock::Branch::none);
  LookedAtBlock before(LookedAtBlock::Branch::before);
  LookedAtBlock after(LookedAtBlock::Branch::after);
  for (const int taken : {0, 1, 0, 0, 1}) {
    for (LookedAtBlock *block : {&none, &before, &after})
      block->run(taken);
    EXPECT_EQ(before.results(), none.results());
    EXPECT_EQ(after.results(), none.results());
  }
}

// Tests programs with a branch, run with each of these words, against
// operations that run separately.
template <class Build> void expectSameAsSeparate(Build &&build) {
  const auto results = [&] {
    const Device device = IPUModel().createDevice();
    Graph graph(device.getTarget());
    const Tensor taken = graph.addVariable(INT, {}, "taken"),
                 x = graph.addVariable(FLOAT, {16, 8, 8, 16}, "x");
    for (const Tensor &tensor : {taken, x})
      graph.setTileMapping(tensor, 0);
    graph.createHostWrite("taken", taken);
    graph.createHostWrite("x", x);
    Sequence prog;
    const std::vector<Tensor> seen = build(graph, x, taken, prog);
    for (std::size_t i = 0; i < seen.size(); ++i)
      graph.createHostRead(std::to_string(i), seen[i]);
    Engine engine(graph, prog);
    engine.load(device);
    Seen all;
    std::mt19937 random(5);
    for (const int word : {0, 1, 0, 0, 1, 1}) {
      std::vector<float> values(x.numElements());
      for (float &value : values)
        value = float(int(random() % 17)) / 4 - 2;
      engine.writeTensor("x", values.data(), values.data() + values.size());
      engine.writeTensor("taken", &word, &word + 1);
      engine.run();
      for (std::size_t i = 0; i < seen.size(); ++i) {
        all.emplace_back(seen[i].numElements());
        engine.readTensor(std::to_string(i), all.back().data(),
                          all.back().data() + all.back().size());
      }
    }
    return all;
  };
  const Seen fused = results();
  const ScopedEnv off("IPUMODEL_FUSION", "0");
  EXPECT_EQ(fused, results());
}

TEST(BranchFusion, WhatABranchUsesMayRunElsewhereToo) {
  expectSameAsSeparate(
      [](Graph &graph, const Tensor &x, const Tensor &taken, Sequence &prog) {
        const Tensor y = popops::add(graph, x, 1.0f, prog);
        Sequence look;
        const Tensor seen = popops::mul(graph, y, 2.0f, look);
        prog.add(If(taken, look, Sequence()));
        const Tensor z = popops::sub(graph, y, 3.0f, prog);
        prog.add(look);
        return std::vector<Tensor>{seen, z};
      });
}

// The gradient of the pooling makes what the ReLU's gradient lets through,
// which a branch between the two sees as the last run left it.
TEST(BranchFusion, ABranchBeforeAGateSeesWhatTheLastRunMade) {
  expectSameAsSeparate([](Graph &graph, const Tensor &x, const Tensor &taken,
                          Sequence &prog) {
    const Tensor acts = x.dimRoll(3, 1);
    const popnn::pooling::PoolParams params(popnn::PoolingType::MAX, {8, 8},
                                            {2, 2}, {2, 2}, {0, 0}, {0, 0}, 16,
                                            16, FLOAT);
    const Tensor pooled = popnn::pooling::pool(graph, params, acts, prog);
    Sequence branch, gate;
    const Tensor spread = popnn::pooling::poolInputGradient(
        graph, params, acts, pooled, pooled, false, prog);
    const Tensor result = popnn::nonLinearityInputGradient(
        graph, popnn::NonLinearityType::RELU, acts, spread, gate);
    const Tensor seen = popops::add(graph, result, 1.0f, branch);
    prog.add(If(taken, branch, Sequence()));
    prog.add(gate);
    return std::vector<Tensor>{seen, popops::mul(graph, result, 2.0f, prog)};
  });
}

// They are executed as part of a chain or by themselves, as the branch decides.
TEST(BranchFusion, VerticesKeepOneStateWhereverTheyRun) {
  expectSameAsSeparate([](Graph &graph, const Tensor &x, const Tensor &taken,
                          Sequence &prog) {
    std::stringstream codelet(R"(
#include <poplar/Vertex.hpp>
class CountRuns : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<float> sum;
  unsigned runs;
  bool compute() {
    *sum = in[0] + 16 * ++runs;
    return true;
  }
};
)");
    graph.addCodelets(codelet);
    const Tensor y = popops::add(graph, x, 1.0f, prog);
    Sequence branch;
    const Tensor looked = popops::mul(graph, y, 2.0f, branch);
    prog.add(If(taken, branch, Sequence()));
    const Tensor z = popops::mul(graph, y, 3.0f, prog);
    const Tensor sums = graph.addVariable(FLOAT, {z.dim(0)}, "sums");
    graph.setTileMapping(sums, 0);
    const ComputeSet count = graph.addComputeSet("count");
    for (std::size_t i = 0; i < z.dim(0); ++i) {
      const VertexRef vertex = graph.addVertex(
          count, "CountRuns", {{"in", z[i].flatten()}, {"sum", sums[i]}});
      graph.setInitialValue(vertex["runs"], 0);
      graph.setTileMapping(vertex, 0);
    }
    prog.add(Execute(count));
    return std::vector<Tensor>{looked, sums, popops::sub(graph, z, 4.0f, prog)};
  });
}

} // namespace
