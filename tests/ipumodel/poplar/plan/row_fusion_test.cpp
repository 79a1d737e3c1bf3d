// Reductions of each row of a matrix are in one pass with the element-wise
// operations around them, several short rows at once.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace poplar;
using popops::Operation;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr std::size_t kColumns = 301;

// How the program names the dimensions of what is stored in rows.
enum class As { rows, columns };

struct Ran {
  std::vector<float> results;
  std::string explanation;
};

float inputAt(std::size_t i) { return std::sin(static_cast<float>(i * 7)); }

// The softmax of each row, and its sums over the rows.
Ran run(std::size_t rows, As as, const char *fusion, const char *threads) {
  const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
  const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
  const ScopedEnv explain("IPUMODEL_EXPLAIN", "1");
  const Device device = IPUModel().createDevice();
  Graph graph(device.getTarget());
  const Tensor stored = graph.addVariable(FLOAT, {rows, kColumns}, "in");
  poputil::mapTensorLinearly(graph, stored);
  const unsigned along = as == As::rows ? 1 : 0;
  const Tensor in = as == As::rows ? stored : stored.transpose();
  const auto perRow = [&](const Tensor &t) {
    return t.expand({along}).broadcast(kColumns, along);
  };
  using namespace popops::expr;
  program::Sequence prog;
  const Tensor largest =
      popops::reduce(graph, in, {along}, Operation::MAX, prog, {"largest"});
  const Tensor powers =
      popops::map(graph, Exp(_1 - _2), {in, perRow(largest)}, prog, {"powers"});
  const Tensor sums =
      popops::reduce(graph, powers, {along}, Operation::ADD, prog, {"sums"});
  const Tensor inverse = popops::map(graph, Inv(_1), {sums}, prog, {"inverse"});
  const Tensor shares =
      popops::map(graph, _1 * _2, {powers, perRow(inverse)}, prog, {"shares"});
  const Tensor totals = popops::reduce(graph, shares, {1 - along},
                                       Operation::ADD, prog, {"totals"});
  const Tensor shown = as == As::rows ? shares : shares.transpose();
  const Tensor all = concat({shown.flatten(), totals, largest});
  graph.createHostWrite("in", stored);
  graph.createHostRead("out", all);
  testing::internal::CaptureStderr();
  Engine engine(graph, prog);
  Ran ran;
  ran.explanation = testing::internal::GetCapturedStderr();
  engine.load(device);
  std::vector<float> values(rows * kColumns);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = inputAt(i);
  engine.writeTensor("in", values.data(), values.data() + values.size());
  engine.run();
  ran.results.resize(all.numElements());
  engine.readTensor("out", ran.results.data(),
                    ran.results.data() + ran.results.size());
  return ran;
}

} // namespace

TEST(RowFusion, ReductionsAndMapsOfRowsAreOneChain) {
  for (const As as : {As::rows, As::columns}) {
    const std::string explanation = run(77, as, "1", "1").explanation;
    EXPECT_THAT(explanation,
                HasSubstr("chain: 'largest' (popops.reduce), 'powers' "
                          "(popops.map), 'sums' (popops.reduce), 'inverse' "
                          "(popops.map), 'shares' (popops.map)"));
    EXPECT_THAT(explanation, HasSubstr("'powers' of 'powers' (popops.map) is "
                                       "not stored"));
  }
}

TEST(RowFusion, SoAreTheirSumsOverABatch) {
  EXPECT_THAT(run(77, As::rows, "1", "1").explanation,
              HasSubstr("'shares' (popops.map), 'totals' (popops.reduce)\n"));
}

TEST(RowFusion, FewRowsAreNot) {
  EXPECT_THAT(run(16, As::rows, "1", "1").explanation,
              Not(HasSubstr("fusion: chain:")));
}

TEST(RowFusion, ResultsAreTheDefinition) {
  const std::size_t rows = 77;
  const std::vector<float> results = run(rows, As::rows, "1", "2").results;
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < kColumns; ++i)
      sum += std::exp(static_cast<double>(inputAt(row * kColumns + i)));
    for (std::size_t i = 0; i < kColumns; ++i)
      ASSERT_NEAR(results[row * kColumns + i],
                  std::exp(static_cast<double>(inputAt(row * kColumns + i))) /
                      sum,
                  1e-7);
  }
}

// The rows of a group are no multiple of those that run together: the last ones
// run alone.
TEST(RowFusion, WithTheSameBitsOnAnyThreads) {
  for (const std::size_t rows : {77, 200})
    for (const As as : {As::rows, As::columns}) {
      const std::vector<float> apart = run(rows, as, "0", "1").results;
      for (const char *threads : {"1", "2", "4"})
        EXPECT_EQ(run(rows, as, "1", threads).results, apart);
      EXPECT_EQ(run(rows, as, "-private", "2").results, apart);
    }
}
