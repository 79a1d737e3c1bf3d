// Operations are combined across a branch that is not taken, and the results
// are the same.
#include "tests/ipumodel/poplar_values/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>
#include <pva/pva.hpp>

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace poplar;
using program::Copy;
using program::If;
using program::Sequence;

namespace {

// A convolution with bias and ReLU. Before the ReLU a branch copies what it is
// applied to; the word that decides on the branch may be computed in between.
class BranchedBlock {
public:
  explicit BranchedBlock(bool decidesInBetween) : graph_(device_.getTarget()) {
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
    prog.add(If(taken, Copy(z, seen), Sequence()));
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

TEST(BranchFusion, AnOperationIsInTheProfileOnce) {
  const std::size_t fused = BranchedBlock(false).steps();
  const ScopedEnv off("IPUMODEL_FUSION", "0");
  EXPECT_EQ(fused, BranchedBlock(false).steps());
}

} // namespace
