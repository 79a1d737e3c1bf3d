#include "operators.hpp"

#include <popops/Encoding.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <gmock/gmock.h>

using namespace poplar;
using operators::Bench;
using poputil::poplibs_error;
using testing::ElementsAre;
using testing::IsNan;

TEST(OneHot, RowsOutOfRangeOrMaskedAreOff) {
  Bench b;
  const Tensor indices =
      b.tensor<unsigned>(UNSIGNED_INT, {4}, {2, 0, 3, MASKED_LABEL_CODE});
  const Tensor encoded = b.floats({4, 3}, std::vector<float>(12, 9));
  popops::encodeOneHot(b.graph, indices, encoded, b.prog);
  EXPECT_THAT(b.floatsOf(encoded),
              ElementsAre(0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(OneHot, MayHaveOtherValuesAndLayouts) {
  Bench b;
  const Tensor indices = b.ints({2}, {1, -1});
  const Tensor encoded = b.halves({3, 2}, std::vector<float>(6, 9));
  popops::encodeOneHot(b.graph, indices, encoded.transpose(), b.prog,
                       b.halves({}, {0.5f}), b.halves({1}, {-2}));
  EXPECT_THAT(b.floatsOf(encoded), ElementsAre(-2, -2, 0.5f, -2, -2, -2));
}

TEST(OneHot, MayOverwriteWhatItEncodes) {
  Bench b;
  const Tensor t = b.ints({3, 3}, {2, 7, 4, 1, 7, 4, 0, 7, 4});
  popops::encodeOneHot(b.graph, t.slice(0, 1, 1).flatten(), t, b.prog, t[0][1],
                       t[0][2]);
  EXPECT_THAT(b.result<int>(t), ElementsAre(4, 4, 7, 4, 7, 4, 7, 4, 4));
}

TEST(OneHot, RefusesWhatDoesNotFit) {
  Bench b;
  const Tensor i = b.ints({2}, {0, 1}), f = b.floats({2}, {0, 1}),
               encoded = b.floats({2, 3}, {}), one = b.floats({}, {1});
  const auto refused = [&](const Tensor &indices, const Tensor &out) {
    EXPECT_THROW(popops::encodeOneHot(b.graph, indices, out, b.prog),
                 poplibs_error);
  };
  refused(f, encoded);
  refused(i, encoded[0]);
  refused(i.reshape({2, 1}), encoded);
  refused(i.slice(0, 1), encoded);
  EXPECT_THROW(popops::encodeOneHot(b.graph, i, encoded, b.prog, i[0], one),
               poplibs_error);
}

TEST(Iota, CountsFromTheStart) {
  Bench b;
  const Tensor i = b.variable(INT, {4}), u = b.variable(UNSIGNED_INT, {3});
  popops::iota(b.graph, i, -2, b.prog);
  popops::iota(b.graph, u.reverse(0), 7u, b.prog);
  const std::string first = b.watch(i), second = b.watch(u);
  b.run();
  EXPECT_THAT(b.read<int>(first, 4), ElementsAre(-2, -1, 0, 1));
  EXPECT_THAT(b.read<unsigned>(second, 3), ElementsAre(9, 8, 7));
}

TEST(Iota, RefusesOtherTypesAndMatrices) {
  Bench b;
  EXPECT_THROW(popops::iota(b.graph, b.variable(INT, {4}), 0u, b.prog),
               poplibs_error);
  EXPECT_THROW(popops::iota(b.graph, b.variable(INT, {2, 2}), 0, b.prog),
               poplibs_error);
  EXPECT_NO_THROW(popops::iota(b.graph, b.variable(INT, {0}), 0, b.prog));
}

TEST(SelectScalarFromRows, MaskedIsZeroAndOutOfRangeNaN) {
  for (const Type &type : {FLOAT, HALF}) {
    Bench b;
    const Tensor params =
        b.tensor<float>(type, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Tensor indices =
        b.tensor<unsigned>(UNSIGNED_INT, {4}, {1, 0, MASKED_LABEL_CODE, 2});
    const Tensor out =
        popops::selectScalarFromRows(b.graph, params, indices, b.prog);
    EXPECT_EQ(out.elementType(), type);
    EXPECT_THAT(b.floatsOf(out), ElementsAre(2, 3, 0, IsNan()));
  }
}

TEST(UpdateScalarInRows, MaskedIsKeptAndOutOfRangeMakesTheRowNaN) {
  for (const Type &type : {FLOAT, HALF}) {
    Bench b;
    const Tensor params =
        b.tensor<float>(type, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Tensor indices =
        b.tensor<unsigned>(UNSIGNED_INT, {4}, {1, 0, MASKED_LABEL_CODE, 2});
    popops::updateScalarInRows(b.graph, params, indices, b.prog);
    EXPECT_THAT(b.floatsOf(params),
                ElementsAre(1, 1, 2, 4, 5, 6, IsNan(), IsNan()));
  }
}

TEST(ScalarInRows, RefusesWhatDoesNotFit) {
  Bench b;
  const Tensor params = b.floats({2, 2}, {});
  const Tensor indices = b.variable(UNSIGNED_INT, {2});
  const auto refused = [&](const Tensor &p, const Tensor &i) {
    EXPECT_THROW(popops::selectScalarFromRows(b.graph, p, i, b.prog),
                 poplibs_error);
    EXPECT_THROW(popops::updateScalarInRows(b.graph, p, i, b.prog),
                 poplibs_error);
  };
  refused(params, b.variable(INT, {2}));
  refused(params.flatten(), indices);
  refused(params, indices.slice(0, 1));
  refused(b.variable(INT, {2, 2}), indices);
}
