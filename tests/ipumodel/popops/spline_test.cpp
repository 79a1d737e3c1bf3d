#include "operators.hpp"

#include <popops/SplineBasis.hpp>
#include <popops/SplineWeighting.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace poplar;
using operators::Bench;
using operators::Shape;
using poputil::poplibs_error;

namespace {

// De Boor's recursion: the spline of this degree whose knots are 0, 1, ...,
// degree + 1.
double deBoor(unsigned degree, double x) {
  if (degree == 0)
    return x >= 0 && x < 1 ? 1 : 0;
  return x / degree * deBoor(degree - 1, x) +
         (degree + 1 - x) / degree * deBoor(degree - 1, x - 1);
}

struct Dimension {
  int size;
  bool open;
};

// Of one edge: the factor of every weight of the kernel.
std::vector<double> weightFactors(unsigned degree,
                                  const std::vector<float> &pseudo,
                                  const std::vector<Dimension> &dims) {
  std::vector<double> factors{1};
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const int size = dims[d].size;
    const double x = double(pseudo[d]) * (size - (dims[d].open ? degree : 0));
    std::vector<double> next(factors.size() * size);
    // Closed splines go around, so that several may be the same weight's.
    for (int knot = int(std::floor(x)), w = 0; w <= int(degree); ++w)
      for (std::size_t i = 0; i < factors.size(); ++i)
        next[(knot + w) % size * factors.size() + i] +=
            factors[i] * deBoor(degree, x - knot + degree - w);
    factors = next;
  }
  return factors;
}

struct Case {
  Type type;
  unsigned degree;
  std::vector<Dimension> dims;
};

class SplineBasis : public testing::TestWithParam<Case> {};

TEST_P(SplineBasis, HasTheSplinesOfDeBoorAndTheirWeights) {
  const auto &[type, degree, dims] = GetParam();
  constexpr std::size_t kEdges = 300; // more than a task
  Bench b;
  std::vector<float> pseudo;
  for (std::size_t i = 0; i < kEdges * dims.size(); ++i)
    pseudo.push_back(float(i * 37 % 256) / 256); // exact as HALF
  std::vector<int> sizes;
  std::vector<unsigned char> open;
  std::size_t splines = 1, weights = 1;
  for (const Dimension &dim : dims) {
    sizes.push_back(dim.size);
    open.push_back(dim.open);
    splines *= degree + 1;
    weights *= dim.size;
  }
  const Tensor basis = b.variable(type, {kEdges, splines});
  const Tensor index = b.variable(INT, {kEdges, splines});
  popops::splineBasis(b.graph, b.tensor(type, {kEdges, dims.size()}, pseudo),
                      b.ints({dims.size()}, sizes),
                      b.tensor(UNSIGNED_CHAR, {dims.size()}, open), basis,
                      index, degree, b.prog);
  const std::string indices = b.watch(index);
  const std::vector<float> got = b.floatsOf(basis);
  const auto at = b.read<int>(indices, index.numElements());
  for (std::size_t edge = 0; edge < kEdges; ++edge) {
    std::vector<double> factors(weights);
    for (std::size_t s = 0; s < splines; ++s)
      factors.at(at[edge * splines + s]) += got[edge * splines + s];
    const std::vector<double> expected =
        weightFactors(degree,
                      {&pseudo[edge * dims.size()],
                       &pseudo[edge * dims.size()] + dims.size()},
                      dims);
    for (std::size_t w = 0; w < weights; ++w)
      ASSERT_NEAR(factors[w], expected[w], type == HALF ? 2e-3 : 2e-6)
          << "weight " << w << " of edge " << edge;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SplineBasis,
    testing::Values(Case{FLOAT, 1, {{5, true}}}, Case{FLOAT, 1, {{3, false}}},
                    Case{FLOAT, 2, {{5, true}, {4, false}}},
                    Case{FLOAT, 3, {{6, true}, {2, false}, {4, false}}},
                    Case{HALF, 2, {{5, false}, {3, true}}},
                    Case{HALF, 3, {{7, true}}}));

TEST(SplineBasis, RefusesOtherShapesTypesAndDegrees) {
  Bench b;
  const Tensor pseudo = b.variable(FLOAT, {4, 2});
  const Tensor sizes = b.variable(INT, {2});
  const Tensor open = b.variable(UNSIGNED_CHAR, {2});
  const Tensor basis = b.variable(FLOAT, {4, 4}),
               index = b.variable(INT, {4, 4});
  const auto call = [&](const Tensor &p, const Tensor &k, const Tensor &o,
                        const Tensor &values, unsigned degree) {
    popops::splineBasis(b.graph, p, k, o, values, index, degree, b.prog);
  };
  EXPECT_NO_THROW(call(pseudo, sizes, open, basis, 1));
  EXPECT_THROW(call(pseudo, sizes, open, basis, 0), poplibs_error);
  EXPECT_THROW(call(pseudo, sizes, open, basis, 2), poplibs_error); // 9 splines
  EXPECT_THROW(call(pseudo, sizes, open, basis, 4), poplibs_error);
  EXPECT_THROW(call(pseudo.flatten(), sizes, open, basis, 1), poplibs_error);
  EXPECT_THROW(call(pseudo, open, open, basis, 1), poplibs_error);
  EXPECT_THROW(call(pseudo, sizes, sizes, basis, 1), poplibs_error);
  EXPECT_THROW(call(pseudo, sizes, open, index, 1), poplibs_error);
}

struct Weighting {
  static constexpr std::size_t kEdges = 300, kInputs = 5, kOutputs = 7,
                               kWeights = 6, kSplines = 4;
  std::vector<float> input = values(kEdges * kInputs, 13);
  std::vector<float> weight = values(kWeights * kInputs * kOutputs, 29);
  std::vector<float> basis = values(kEdges * kSplines, 7);
  std::vector<int> index = makeIndex();

  static std::vector<float> values(std::size_t n, std::size_t step) {
    std::vector<float> result;
    for (std::size_t i = 0; i < n; ++i)
      result.push_back(float(i * step % 64) / 32 - 1); // exact as HALF
    return result;
  }
  static std::vector<int> makeIndex() {
    std::vector<int> result;
    for (std::size_t i = 0; i < kEdges * kSplines; ++i)
      result.push_back(int(i * 5 % kWeights));
    return result;
  }
  Tensor add(Bench &b, const Type &type) const {
    return popops::splineWeighting(
        b.graph, b.tensor(type, {kEdges, kInputs}, input),
        b.tensor(type, {kWeights, kInputs, kOutputs}, weight),
        b.tensor(type, {kEdges, kSplines}, basis),
        b.ints({kEdges, kSplines}, index), b.prog);
  }
  double expected(std::size_t edge, std::size_t output) const {
    double sum = 0;
    for (std::size_t s = 0; s < kSplines; ++s)
      for (std::size_t i = 0; i < kInputs; ++i)
        sum += double(basis[edge * kSplines + s]) * input[edge * kInputs + i] *
               weight[(index[edge * kSplines + s] * kInputs + i) * kOutputs +
                      output];
    return sum;
  }
};

TEST(SplineWeighting, SumsOverSplinesAndChannels) {
  const Weighting w;
  for (const Type &type : {FLOAT, HALF}) {
    Bench b;
    const Tensor output = w.add(b, type);
    ASSERT_EQ(output.shape(), Shape({w.kEdges, w.kOutputs}));
    const std::vector<float> got = b.floatsOf(output);
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], w.expected(i / w.kOutputs, i % w.kOutputs),
                  type == HALF ? 4e-3 : 1e-5)
          << i;
  }
}

TEST(SplineWeighting, AnIndexWithoutAWeightMakesItsEdgeNaN) {
  Weighting w;
  w.index[2 * w.kSplines] = w.kWeights;
  w.index[4 * w.kSplines + 3] = -1;
  Bench b;
  const std::vector<float> got = b.floatsOf(w.add(b, FLOAT));
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::size_t edge = i / w.kOutputs;
    EXPECT_EQ(std::isnan(got[i]), edge == 2 || edge == 4) << edge;
  }
}

TEST(SplineWeighting, RefusesShapesThatDoNotMatch) {
  Bench b;
  const Tensor input = b.variable(FLOAT, {4, 2});
  const Tensor weight = b.variable(FLOAT, {3, 2, 5});
  const Tensor basis = b.variable(FLOAT, {4, 2}),
               index = b.variable(INT, {4, 2});
  const auto call = [&](const Tensor &x, const Tensor &w, const Tensor &v,
                        const Tensor &i) {
    popops::splineWeighting(b.graph, x, w, v, i, b.prog);
  };
  EXPECT_NO_THROW(call(input, weight, basis, index));
  EXPECT_THROW(call(input.slice(0, 1, 1), weight, basis, index), poplibs_error);
  EXPECT_THROW(call(input, weight[0], basis, index), poplibs_error);
  EXPECT_THROW(call(input, weight, basis.slice(0, 3), index), poplibs_error);
  EXPECT_THROW(call(input, weight, basis, index.slice(0, 3)), poplibs_error);
  EXPECT_THROW(call(input, weight, basis, basis), poplibs_error);
  EXPECT_THROW(call(input, b.variable(HALF, {3, 2, 5}), basis, index),
               poplibs_error);
}

} // namespace
