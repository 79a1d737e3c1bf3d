// Comparisons with zero, for which the engine has special steps.
#include "tests/ipumodel/popops/operators.hpp"

#include <popops/ElementWise.hpp>

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace poplar;
using namespace popops::expr;
using operators::Bench;
using popops::map;

namespace {

// More than one task, and not a whole number of vectors.
constexpr std::size_t kCount = 40003;

std::vector<float> specialValues(std::size_t n, unsigned shift) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float values[] = {-1,        -0.0f,         0,     2.5f, -kInfinity,
                          kInfinity, std::nanf(""), 1e-40f};
  std::vector<float> result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(values[(i * 5 + shift) % 8]);
  return result;
}

std::vector<std::uint32_t> bits(const std::vector<float> &values) {
  std::vector<std::uint32_t> result(values.size());
  std::memcpy(result.data(), values.data(), values.size() * sizeof(float));
  return result;
}

} // namespace

TEST(MapWithZero, ReluAndItsGradientAreBitsOfTheirDefinition) {
  Bench b;
  const std::vector<float> x = specialValues(kCount, 0);
  const std::vector<float> g = specialValues(kCount, 3);
  const Tensor tx = b.floats({kCount}, x), tg = b.floats({kCount}, g);
  const std::string relu =
      b.watch(map(b.graph, Max(_1, Const(0.0f)), {tx}, b.prog));
  const std::string turned =
      b.watch(map(b.graph, Max(Const(0.0f), _1), {tx}, b.prog));
  const std::string gradient = b.watch(
      map(b.graph, Select(_2, Const(0.0f), _1 > 0.0f), {tx, tg}, b.prog));
  b.run();
  std::vector<float> expected, expectedTurned, expectedGradient;
  for (std::size_t i = 0; i < kCount; ++i) {
    expected.push_back(x[i] > 0 ? x[i] : 0);
    expectedTurned.push_back(x[i] >= 0 ? x[i] : 0);
    expectedGradient.push_back(x[i] > 0 ? g[i] : 0);
  }
  EXPECT_EQ(bits(b.read<float>(relu, kCount)), bits(expected));
  EXPECT_EQ(bits(b.read<float>(turned, kCount)), bits(expectedTurned));
  EXPECT_EQ(bits(b.read<float>(gradient, kCount)), bits(expectedGradient));
}

TEST(MapWithZero, AChoiceBySignIsBitsOfItsDefinition) {
  Bench b;
  const std::vector<float> x = specialValues(kCount, 0);
  const std::vector<float> g = specialValues(kCount, 3);
  const Tensor tx = b.floats({kCount}, x), tg = b.floats({kCount}, g);
  const std::string one =
      b.watch(map(b.graph, Select(_2, _1, _1 > Const(0.0f)), {tx, tg}, b.prog));
  const std::string constant = b.watch(map(
      b.graph, Select(Const(3.0f), _2, _1 > Const(0.0f)), {tx, tg}, b.prog));
  b.run();
  std::vector<float> expected, expectedConstant;
  for (std::size_t i = 0; i < kCount; ++i) {
    expected.push_back(x[i] > 0 ? g[i] : x[i]);
    expectedConstant.push_back(x[i] > 0 ? 3.0f : g[i]);
  }
  EXPECT_EQ(bits(b.read<float>(one, kCount)), bits(expected));
  EXPECT_EQ(bits(b.read<float>(constant, kCount)), bits(expectedConstant));
}

TEST(MapWithZero, OperandsMayLieInAnyOrder) {
  Bench b;
  const std::size_t rows = 130, columns = 170;
  std::vector<float> x(rows * columns);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i % 11) - 5;
  const Tensor tx = b.floats({rows, columns}, x);
  const Tensor tg = b.floats({columns, rows}, x);
  const std::string name =
      b.watch(map(b.graph, Select(_2, Const(0.0f), _1 > 0.0f),
                  {tx, tg.transpose()}, b.prog));
  b.run();
  const std::vector<float> got = b.read<float>(name, x.size());
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      ASSERT_EQ(got[r * columns + c],
                x[r * columns + c] > 0 ? x[c * rows + r] : 0)
          << r << ", " << c;
}
