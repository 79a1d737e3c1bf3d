#include "tests/ipumodel/popops/operators.hpp"

#include <poplin/experimental/LuFactorization.hpp>
#include <poplin/experimental/QRFactorization.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <gtest/gtest.h>

using namespace poplar;
using operators::Bench;
using operators::Shape;
using poputil::poplibs_error;

namespace {

// Diagonally dominant, so that elimination needs no exchange of rows.
std::vector<float> wellConditioned(std::size_t rows, std::size_t columns) {
  std::vector<float> values;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      values.push_back(float((i * 17 + j * 29) % 32) / 32 - 0.5f +
                       (i == j ? float(columns) : 0.0f));
  return values;
}

double productAt(const std::vector<float> &a, const std::vector<float> &b,
                 std::size_t inner, std::size_t columns, std::size_t i,
                 std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < inner; ++k)
    sum += double(a[i * inner + k]) * b[k * columns + j];
  return sum;
}

using Sizes = std::pair<std::size_t, std::size_t>;

TEST(LuFactorization, MultipliesToTheMatrix) {
  for (const auto &[rows, columns] :
       {Sizes{1, 1}, Sizes{8, 8}, Sizes{70, 70}, Sizes{40, 70}, Sizes{70, 40}})
    for (const Type &type : {FLOAT, HALF}) {
      Bench b;
      const auto values = wellConditioned(rows, columns);
      Tensor input = b.tensor(type, {rows, columns}, values);
      const auto [lower, upper] =
          poplin::experimental::LUFactorization(b.graph, input, b.prog);
      ASSERT_EQ(lower.shape(), Shape({rows, rows}));
      ASSERT_EQ(upper.shape(), Shape({rows, columns}));
      EXPECT_EQ(upper.elementType(), FLOAT);
      const std::string names[] = {b.watch(lower), b.watch(upper),
                                   b.watch(input)};
      b.run();
      const auto l = b.read<float>(names[0], rows * rows);
      const auto u = b.read<float>(names[1], rows * columns);
      for (std::size_t i = 0; i < rows; ++i) {
        EXPECT_EQ(l[i * rows + i], 1);
        for (std::size_t j = i + 1; j < rows; ++j)
          EXPECT_EQ(l[i * rows + j], 0);
        for (std::size_t j = 0; j < std::min(i, columns); ++j)
          EXPECT_EQ(u[i * columns + j], 0);
        for (std::size_t j = 0; j < columns; ++j)
          ASSERT_NEAR(productAt(l, u, rows, columns, i, j),
                      values[i * columns + j], type == HALF ? 0.04 : 1e-4);
      }
    }
}

TEST(QrFactorization, HasAnOrthogonalAndATriangularFactor) {
  for (const auto &[rows, columns] :
       {Sizes{1, 1}, Sizes{2, 1}, Sizes{8, 8}, Sizes{70, 40}, Sizes{300, 270}})
    for (const Type &type : {FLOAT, HALF}) {
      if (type == HALF && rows > 100)
        continue;
      // Elements of the diagonal are about `columns`, sums as long as rows.
      const double tolerance =
          type == HALF ? 0.1 : 1e-5 * static_cast<double>(columns + 1);
      Bench b;
      const auto values = wellConditioned(rows, columns);
      auto [a, q] = poplin::experimental::createQRFactorizationMatrices(
          b.graph, type, rows, columns, {});
      ASSERT_EQ(a.shape(), Shape({rows, columns}));
      ASSERT_EQ(q.shape(), Shape({rows, rows}));
      std::vector<float> identity(rows * rows);
      for (std::size_t i = 0; i < rows; ++i)
        identity[i * rows + i] = 1;
      b.graph.setInitialValue(a, ArrayRef<float>(values));
      b.graph.setInitialValue(q, ArrayRef<float>(identity));
      poplin::experimental::QRFactorization(b.graph, a, q, b.prog, {},
                                            {{"rowsPerIteration", "8"}});
      const std::string rotation = b.watch(q);
      const auto r = b.floatsOf(a);
      std::vector<float> turned(rows * rows);
      if (type == HALF) {
        const auto halves = b.read<std::uint16_t>(rotation, rows * rows);
        std::transform(halves.begin(), halves.end(), turned.begin(),
                       operators::halfToFloat);
      } else {
        turned = b.read<float>(rotation, rows * rows);
      }
      std::vector<float> transposed(rows * rows);
      for (std::size_t i = 0; i < rows * rows; ++i)
        transposed[i % rows * rows + i / rows] = turned[i];
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < std::min(i, columns); ++j)
          ASSERT_EQ(r[i * columns + j], 0) << i << ", " << j;
        for (std::size_t j = 0; j < columns; ++j)
          ASSERT_NEAR(productAt(turned, r, rows, columns, i, j),
                      values[i * columns + j], tolerance);
        for (std::size_t j = 0; j < rows; ++j)
          ASSERT_NEAR(productAt(turned, transposed, rows, rows, i, j), i == j,
                      type == HALF ? 0.01 : 1e-5);
      }
    }
}

TEST(QrFactorization, LeavesAMatrixThatIsTriangular) {
  Bench b;
  auto [a, q] = poplin::experimental::createQRFactorizationMatrices(
      b.graph, FLOAT, 3, 2, {});
  const std::vector<float> values{1, 2, 0, 3, 0, 0};
  b.graph.setInitialValue(a, ArrayRef<float>(values));
  b.graph.setInitialValue(
      q, ArrayRef<float>(std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  poplin::experimental::QRFactorization(b.graph, a, q, b.prog);
  EXPECT_EQ(b.floatsOf(a), values);
}

TEST(Factorizations, RefuseOtherShapesAndTypes) {
  using namespace poplin::experimental;
  Bench b;
  Tensor wide = b.variable(FLOAT, {2, 3}), square = b.variable(FLOAT, {2, 2});
  Tensor tall = b.variable(FLOAT, {3, 2}), whole = b.variable(INT, {3, 3});
  EXPECT_THROW(createQRFactorizationMatrices(b.graph, FLOAT, 2, 3, {}),
               poplibs_error);
  EXPECT_THROW(QRFactorization(b.graph, wide, square, b.prog), poplibs_error);
  EXPECT_THROW(QRFactorization(b.graph, tall, square, b.prog), poplibs_error);
  EXPECT_THROW(QRFactorization(b.graph, tall, whole, b.prog), poplibs_error);
  EXPECT_THROW(QRFactorization(b.graph, square, square, b.prog, {},
                               {{"columnsPerIteration", "8"}}),
               std::exception);
  EXPECT_THROW(LUFactorization(b.graph, whole, b.prog), poplibs_error);
}

} // namespace
