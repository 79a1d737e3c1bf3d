#include "tests/ipumodel/operator_model.hpp"

#include <poplin/MatMul.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplibstest;

namespace {

constexpr Tolerance kFloat{1e-5, 1e-6};
constexpr Tolerance kHalf{1e-2, 1e-3};

ReferenceArray firstOf(const ReferenceArray &stack) {
  ReferenceArray result{{stack.shape[1], stack.shape[2]}, {}, {}, {}};
  result.floats.assign(
      stack.floats.begin(),
      stack.floats.begin() +
          static_cast<std::ptrdiff_t>(stack.shape[1] * stack.shape[2]));
  return result;
}

} // namespace

TEST(MatMul, GroupedMatchesPyTorchInFloatAndHalf) {
  for (const ReferenceCase &c : references("matmul"))
    for (const Type &type : {FLOAT, HALF}) {
      OperatorModel m;
      const Tensor a = m.input(type, c.array("a"));
      const Tensor b = m.input(type, c.array("b"));
      m.expect(poplin::matMulGrouped(m.graph, a, b, m.prog, type),
               c.array("product"), type == HALF ? kHalf : kFloat, "product");
      m.run();
      if (testing::Test::HasFailure())
        return;
    }
}

TEST(MatMul, TakesTransposedOperands) {
  for (const ReferenceCase &c : references("matmul")) {
    OperatorModel m;
    const ReferenceArray a = firstOf(c.array("a")), b = firstOf(c.array("b")),
                         product = firstOf(c.array("product"));
    const Tensor left = m.input(FLOAT, a, {1, 0});
    const Tensor right = m.input(FLOAT, b, {1, 0});
    m.expect(poplin::matMul(m.graph, left, right, m.prog), product, kFloat,
             "product");
    m.expect(
        poplin::matMul(m.graph, right.transpose(), left.transpose(), m.prog)
            .transpose(),
        product, kFloat, "transposed product");
    m.run();
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(MatMul, TakesASingleInnerElementAndBroadcastOperands) {
  OperatorModel m;
  ReferenceArray column{{3, 1}, {1, 2, 3}, {}, {}};
  ReferenceArray row{{1, 2}, {10, 20}, {}, {}};
  ReferenceArray outer{{3, 2}, {10, 20, 20, 40, 30, 60}, {}, {}};
  ReferenceArray tripled{{3, 2}, {30, 60, 60, 120, 90, 180}, {}, {}};
  const Tensor a = m.input(FLOAT, column), b = m.input(FLOAT, row);
  m.expect(poplin::matMul(m.graph, a, b, m.prog), outer, {0, 0}, "outer");
  m.expect(
      poplin::matMul(m.graph, a.broadcast(3, 1), b.broadcast(3, 0), m.prog),
      tripled, {0, 0}, "broadcast");
  m.run();
}

TEST(MatMul, AccumulatesTheScaledProduct) {
  for (const ReferenceCase &c : references("matmul")) {
    OperatorModel m;
    const Tensor a = m.input(FLOAT, c.array("a"));
    const Tensor b = m.input(FLOAT, c.array("b"));
    const Tensor sum = m.input(FLOAT, c.array("c"));
    const Tensor viaTensor = m.input(FLOAT, c.array("c"), {0, 2, 1});
    poplin::matMulGroupedAcc(m.graph, sum, 0.5f, a, b, m.prog);
    const Tensor half = m.graph.addConstant(FLOAT, {}, 0.5f);
    m.graph.setTileMapping(half, 0);
    poplin::matMulGroupedAcc(m.graph, viaTensor, half, a, b, m.prog);
    m.expect(sum, c.array("accumulated"), kFloat, "sum");
    m.expect(viaTensor, c.array("accumulated"), kFloat, "sum by tensor");
    m.run();
    if (testing::Test::HasFailure())
      return;
  }
}

// Columns of such products are packed first, those of long sums part by part.
// Elements are small integers, so that sums are exact.
TEST(MatMul, TallProductsAreExact) {
  for (const std::size_t m : {64, 100, 301})
    for (const std::size_t k : {1, 20, 128, 300})
      for (const std::size_t n : {33, 64, 330}) {
        SCOPED_TRACE(testing::Message() << m << " x " << k << " x " << n);
        const auto matrix = [](std::size_t rows, std::size_t columns) {
          ReferenceArray array{{rows, columns}, {}, {}, {}};
          for (std::size_t i = 0; i < rows * columns; ++i)
            array.floats.push_back(float(i * 7 % 11) - 5);
          return array;
        };
        const ReferenceArray a = matrix(m, k), b = matrix(k, n);
        const ReferenceArray start = matrix(m, n);
        ReferenceArray product = start, sum = start;
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < n; ++j) {
            float &element = product.floats[i * n + j] = 0;
            for (std::size_t at = 0; at < k; ++at)
              element += a.floats[i * k + at] * b.floats[at * n + j];
          }
        OperatorModel model;
        const Tensor left = model.input(FLOAT, a),
                     right = model.input(FLOAT, b);
        const Tensor total = model.input(FLOAT, start);
        for (std::size_t i = 0; i < m * n; ++i)
          sum.floats[i] += 0.5f * product.floats[i];
        model.expect(poplin::matMul(model.graph, left, right, model.prog),
                     product, {0, 0}, "product");
        poplin::matMulAcc(model.graph, total, 0.5f, left, right, model.prog);
        model.expect(total, sum, {0, 0}, "sum");
        model.run();
        if (testing::Test::HasFailure())
          return;
      }
}

TEST(MatMul, MisuseIsRefused) {
  OperatorModel m;
  const auto matrix = [&](std::size_t rows, std::size_t columns) {
    const Tensor t = m.graph.addVariable(FLOAT, {rows, columns});
    poputil::mapTensorLinearly(m.graph, t);
    return t;
  };
  EXPECT_THROW(poplin::matMul(m.graph, matrix(2, 3), matrix(4, 5), m.prog),
               poputil::poplibs_error);
  EXPECT_THROW(
      poplin::matMul(m.graph, matrix(2, 3).flatten(), matrix(3, 5), m.prog),
      poputil::poplibs_error);
  EXPECT_THROW(poplin::matMul(m.graph, matrix(2, 3), matrix(3, 5), m.prog,
                              "product", {{"pass", "NONE"}}),
               invalid_option);
  EXPECT_THROW(poplin::matMul(m.graph, matrix(2, 3), matrix(3, 5), m.prog, INT),
               poputil::poplibs_error);
}
