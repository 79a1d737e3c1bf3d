// The bits of a result do not depend on how replicas are divided.
#include "tests/ipumodel/poplar/instances/collective_cases.hpp"
#include "tests/ipumodel/poplar/instances/thread_link.hpp"

#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ScaledAdd.hpp>

#include <algorithm>
#include <gmock/gmock.h>
#include <mutex>

using namespace instancetest;
using namespace poplar;
using namespace poplar::program;
using testing::Each;

namespace {

std::vector<std::string> resultsOf(unsigned replicas, unsigned instances) {
  std::mutex mutex;
  std::vector<std::string> lines;
  EXPECT_THAT(onInstances(instances,
                          [&](unsigned instance) {
                            SlicedModel m(replicas, instances, instance);
                            const auto own = CollectiveCases(m).run();
                            const std::lock_guard<std::mutex> lock(mutex);
                            lines.insert(lines.end(), own.begin(), own.end());
                          }),
              Each(""));
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Weights and losses, as bits, after some updates of a linear regression whose
// gradients are averaged over the replicas.
std::vector<std::uint32_t> trained(unsigned instances) {
  constexpr std::size_t kBatch = 3, kInputs = 37, kOutputs = 41; // per replica
  constexpr unsigned kReplicas = 4, kUpdates = 8;
  std::vector<std::vector<std::uint32_t>> parts(instances);
  const auto data = [](std::size_t count, std::uint32_t salt) {
    std::vector<float> values(kReplicas * count);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = 0x1p-6f * wildFloat(std::uint32_t(i) + salt);
    return values;
  };
  EXPECT_THAT(
      onInstances(
          instances,
          [&](unsigned instance) {
            SlicedModel m(kReplicas, instances, instance);
            const Tensor x = m.add(FLOAT, {kBatch, kInputs}, "x");
            const Tensor target = m.add(FLOAT, {kBatch, kOutputs}, "target");
            const Tensor w = m.add(FLOAT, {kInputs, kOutputs}, "w");
            const DataStream losses =
                m.graph.addDeviceToHostFIFO("losses", FLOAT, kBatch * kOutputs);
            Sequence step;
            const Tensor y = poplin::matMul(m.graph, x, w, step);
            Tensor error = popops::sub(m.graph, y, target, step);
            std::vector<Tensor> gradients{
                poplin::matMul(m.graph, x.transpose(), error, step)};
            gcl::allReduceInPlaceCrossReplica(
                m.graph, gradients, gcl::CollectiveOperator::MEAN, step);
            popops::scaledSubtractFrom(m.graph, w, gradients[0], 0.01f, step);
            gcl::allReduceInPlaceCrossReplica(
                m.graph, error, gcl::CollectiveOperator::SQUARE_ADD, step);
            step.add(Copy(error, losses));
            m.loadSlice({Repeat(kUpdates, step)});
            std::vector<float> seen(kUpdates * m.count * kBatch * kOutputs);
            m.engine->connectStream("losses", seen.data(),
                                    seen.data() + seen.size());
            m.write("x", m.sliceOf(data(kBatch * kInputs, 1)));
            m.write("target", m.sliceOf(data(kBatch * kOutputs, 1 << 20)));
            m.engine->run();
            auto &bits = parts[instance];
            bits = m.read<std::uint32_t>("w", m.count * kInputs * kOutputs);
            const auto *first = reinterpret_cast<std::uint32_t *>(seen.data());
            if (instance == 0) // all replicas have the same
              bits.insert(bits.begin(), first, first + kBatch * kOutputs);
          }),
      Each(""));
  std::vector<std::uint32_t> all;
  for (const auto &part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace

TEST(Layout, TrainedWeightsAndLossesHaveTheSameBitsInEveryDivision) {
  const auto whole = trained(1);
  for (const std::uint32_t bits : whole) {
    EXPECT_NE(bits, 0u);
    EXPECT_LT(bits & 0x7fffffff, 0x7f800000u) << "not finite";
  }
  EXPECT_EQ(trained(2), whole);
  EXPECT_EQ(trained(4), whole);
}

TEST(Layout, EveryCollectiveHasTheSameBitsInEveryDivision) {
  const auto whole = resultsOf(4, 1);
  EXPECT_GT(whole.size(), 4u * 150);
  EXPECT_EQ(resultsOf(4, 2), whole);
  EXPECT_EQ(resultsOf(4, 4), whole);
}

TEST(Layout, GroupsThatAreNotAlignedWithInstancesHaveTheSameBits) {
  const auto whole = resultsOf(6, 1);
  EXPECT_EQ(resultsOf(6, 2), whole); // pairs across instances of three
  EXPECT_EQ(resultsOf(6, 3), whole);
}

// Else the tests above could not see a result made of partial sums.
TEST(Layout, TheSumsOfTheCasesDependOnTheirOrder) {
  unsigned different = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const float a = wildFloat(4 * i), b = wildFloat(4 * i + 1),
                c = wildFloat(4 * i + 2), d = wildFloat(4 * i + 3);
    const volatile float left = a + b, right = c + d;
    const volatile float three = left + c;
    different += left + right != three + d;
  }
  EXPECT_GT(different, 100u);
}
