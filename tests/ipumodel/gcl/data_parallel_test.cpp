// Training on several replicas, as an application does it.
#include "tests/ipumodel/poplar/engine/model.hpp"

#include <gcl/Collectives.hpp>
#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ScaledAdd.hpp>
#include <poprand/RandomGen.hpp>

#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::program;
using enginetest::Model;

namespace {

constexpr std::size_t kBatch = 8, kInputs = 5, kOutputs = 3;
constexpr int kSteps = 4;

// Small integers, so that sums are exact in any order.
std::vector<float> numbers(std::size_t count, int salt) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>((static_cast<int>(i) * 7 + salt) % 5 - 2);
  return values;
}

// The weights of all replicas after some steps of linear regression on the same
// data, divided between them.
std::vector<float> train(unsigned replicas) {
  Model m(4, replicas, replicas);
  const std::size_t batch = kBatch / replicas;
  const Tensor x = m.add(FLOAT, {batch, kInputs}, "x");
  const Tensor target = m.add(FLOAT, {batch, kOutputs}, "target");
  const Tensor w = m.add(FLOAT, {kInputs, kOutputs}, "w");
  Sequence step;
  const Tensor y = poplin::matMul(m.graph, x, w, step);
  const Tensor error = popops::sub(m.graph, y, target, step);
  std::vector<Tensor> gradients{
      poplin::matMul(m.graph, x.transpose(), error, step)};
  gcl::allReduceInPlaceCrossReplica(
      m.graph, gradients, gcl::CollectiveOperator::ADD, step, "gradients");
  popops::scaledSubtractFrom(m.graph, w, gradients[0], 0x1p-5f, step);
  m.load(Repeat(kSteps, step));
  m.write("x", numbers(kBatch * kInputs, 1));
  m.write("target", numbers(kBatch * kOutputs, 3));
  m.write("w", std::vector<float>(replicas * kInputs * kOutputs, 0.5f));
  m.engine->run();
  return m.read<float>("w", replicas * kInputs * kOutputs);
}

} // namespace

TEST(DataParallel, ReplicasTrainAsOneWithTheWholeBatch) {
  const std::vector<float> alone = train(1);
  for (const unsigned replicas : {2u, 4u}) {
    const std::vector<float> weights = train(replicas);
    for (std::size_t i = 0; i < weights.size(); ++i)
      EXPECT_EQ(weights[i], alone[i % alone.size()])
          << "weight " << i << " of " << replicas << " replicas";
  }
  EXPECT_NE(alone, std::vector<float>(alone.size(), 0.5f));
}

TEST(DataParallel, ReplicasDropDifferentElementsIfTheirSeedsDiffer) {
  Model m(4, 2, 2);
  const std::size_t count = 100;
  const Tensor x = m.add(FLOAT, {count}, "x");
  const Tensor index = m.graph.addReplicationIndexConstant("index");
  m.graph.setTileMapping(index, 0);
  const Tensor seed = m.add(UNSIGNED_INT, {2}, "seed");
  Sequence prog;
  const Tensor same =
      poprand::dropout(m.graph, &seed, 0, x, x, 0.5, 2, prog, "same");
  const Tensor own = popops::add(m.graph, seed, index, prog);
  const Tensor different =
      poprand::dropout(m.graph, &own, 0, x, x, 0.5, 2, prog, "different");
  m.graph.createHostRead("same", same);
  m.graph.createHostRead("different", different);
  m.load(prog);
  m.write("x", std::vector<float>(2 * count, 1));
  m.write("seed", std::vector<unsigned>{1, 2, 1, 2});
  m.engine->run();
  const auto halvesEqual = [&](const std::string &name) {
    const auto values = m.read<float>(name, 2 * count);
    return std::equal(values.begin(), values.begin() + count,
                      values.begin() + count);
  };
  EXPECT_TRUE(halvesEqual("same"));
  EXPECT_FALSE(halvesEqual("different"));
}
