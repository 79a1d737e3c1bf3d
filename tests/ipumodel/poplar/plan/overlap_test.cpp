// Operations whose output overlaps their inputs: PopLibs computes from the old
// values, since it stores results only when all are complete.
#include "tests/ipumodel/operator_model.hpp"

#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popops/Cast.hpp>
#include <popops/Reduce.hpp>

using namespace poplar;
using namespace poplibstest;

namespace {

// Small integers, so that no sum is rounded.
ReferenceArray smallNumbers(const std::vector<std::size_t> &shape) {
  ReferenceArray array{shape, {}, {}, {}};
  std::size_t count = 1;
  for (const std::size_t size : shape)
    count *= size;
  for (std::size_t i = 0; i < count; ++i)
    array.floats.push_back(float(i * 7 % 11) - 5);
  return array;
}

constexpr Tolerance kExact{0, 0};
constexpr std::size_t kSize = 70;

} // namespace

TEST(Overlap, AMatrixIsMultipliedByItselfWhileItIsAddedTo) {
  const ReferenceArray before = smallNumbers({kSize, kSize});
  ReferenceArray square = before, sum = before;
  for (std::size_t i = 0; i < kSize; ++i)
    for (std::size_t j = 0; j < kSize; ++j) {
      float product = 0;
      for (std::size_t k = 0; k < kSize; ++k)
        product += before.floats[i * kSize + k] * before.floats[k * kSize + j];
      square.floats[i * kSize + j] = product;
      sum.floats[i * kSize + j] += 2 * product;
    }
  OperatorModel m;
  const Tensor added = m.input(FLOAT, before);
  poplin::matMulAcc(m.graph, added, 2.0f, added, added, m.prog);
  m.expect(added, sum, kExact, "sum");
  Tensor replaced = m.input(FLOAT, before);
  poplin::matMulWithOutput(m.graph, replaced, replaced, replaced, m.prog);
  m.expect(replaced, square, kExact, "product");
  m.run();
}

TEST(Overlap, WeightsAreUpdatedByActivationsThatAreTheWeights) {
  const ReferenceArray before = smallNumbers({1, kSize, kSize, 1, 1}),
                       deltas = smallNumbers({kSize, kSize, 1, 1});
  ReferenceArray after = before;
  for (std::size_t out = 0; out < kSize; ++out)
    for (std::size_t in = 0; in < kSize; ++in)
      for (std::size_t item = 0; item < kSize; ++item)
        after.floats[out * kSize + in] += deltas.floats[item * kSize + out] *
                                          before.floats[item * kSize + in];
  OperatorModel m;
  const Tensor weights = m.input(FLOAT, before);
  poplin::convolutionWeightUpdate(
      m.graph, m.input(FLOAT, deltas), weights,
      weights.reshape({kSize, kSize, 1, 1}),
      poplin::ConvParams(FLOAT, kSize, {1, 1}, {1, 1}, kSize, kSize, 1), 1.0f,
      m.prog);
  m.expect(weights, after, kExact, "weights");
  m.run();
}

TEST(Overlap, AConvolutionReplacesItsInput) {
  const ReferenceArray before = smallNumbers({kSize, kSize, 1, 1}),
                       weights = smallNumbers({1, kSize, kSize, 1, 1});
  ReferenceArray after = before;
  for (std::size_t item = 0; item < kSize; ++item)
    for (std::size_t out = 0; out < kSize; ++out) {
      float &sum = after.floats[item * kSize + out] = 0;
      for (std::size_t in = 0; in < kSize; ++in)
        sum +=
            before.floats[item * kSize + in] * weights.floats[out * kSize + in];
    }
  OperatorModel m;
  const Tensor activations = m.input(FLOAT, before);
  poplin::convolutionWithOutput(
      m.graph, activations, m.input(FLOAT, weights), activations,
      poplin::ConvParams(FLOAT, kSize, {1, 1}, {1, 1}, kSize, kSize, 1), false,
      m.prog);
  m.expect(activations, after, kExact, "activations");
  m.run();
}

TEST(Overlap, ABiasIsARowOfWhatItIsAddedTo) {
  const ReferenceArray before = smallNumbers({kSize, kSize});
  ReferenceArray after = before;
  for (std::size_t i = 0; i < after.floats.size(); ++i)
    after.floats[i] += before.floats[kSize + i % kSize];
  OperatorModel m;
  const Tensor rows = m.input(FLOAT, before);
  poplin::addBias(m.graph, rows, rows[1], m.prog);
  m.expect(rows, after, kExact, "sums");
  m.run();
}

TEST(Overlap, AReductionIsStoredInOneOfItsRows) {
  ReferenceArray before{{kSize, kSize}, {}, {}, {}};
  for (std::size_t i = 0; i < kSize * kSize; ++i)
    before.ints.push_back(int(i * 7 % 11) - 5);
  ReferenceArray after{{kSize, kSize}, {}, {}, {}};
  after.floats.assign(before.ints.begin(), before.ints.end());
  for (std::size_t i = 0; i < kSize; ++i) {
    float &sum = after.floats[kSize / 2 * kSize + i] = 0;
    for (std::size_t k = 0; k < kSize; ++k)
      sum += float(before.ints[i * kSize + k]);
  }
  OperatorModel m;
  const Tensor rows = m.input(INT, before);
  popops::reduceWithOutput(m.graph, rows, rows[kSize / 2], {1},
                           popops::Operation::ADD, m.prog);
  m.expect(popops::cast(m.graph, rows, FLOAT, m.prog), after, kExact, "sums");
  m.run();
}
