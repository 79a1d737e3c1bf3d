#include "tests/ipumodel/popops/operators.hpp"

#include <popnn/Loss.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>

using namespace poplar;
using operators::Bench;
using operators::Shape;
using testing::ElementsAre;

TEST(LossTopK, HasASingleRowForEachSample) {
  Bench b;
  const Tensor t = b.floats({2, 3}, {3, 1, 2, 4, 6, 5});
  Tensor indices;
  const Tensor values = popnn::topK(b.graph, t, indices, 2, true, b.prog);
  EXPECT_EQ(values.shape(), Shape({2, 1, 2}));
  EXPECT_EQ(indices.shape(), Shape({2, 1, 2}));
  EXPECT_EQ(indices.elementType(), UNSIGNED_INT);
  const std::string read = b.watch(indices);
  EXPECT_THAT(b.floatsOf(values), ElementsAre(3, 2, 6, 5));
  EXPECT_THAT(b.read<unsigned>(read, 4), ElementsAre(0, 2, 1, 2));
}

TEST(LossTopK, WantsAMatrixWithEnoughColumns) {
  Bench b;
  Tensor indices;
  EXPECT_THROW(
      popnn::topK(b.graph, b.floats({3}, {}), indices, 1, true, b.prog),
      poputil::poplibs_error);
  EXPECT_THROW(
      popnn::topK(b.graph, b.floats({2, 3}, {}), indices, 4, true, b.prog),
      poputil::poplibs_error);
}
