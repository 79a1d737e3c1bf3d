#include "small_device.hpp"

#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <gtest/gtest.h>

using namespace poputil;
using poplar::Tensor;

namespace {

using Shape = std::vector<std::size_t>;

TEST(FactorDims, PutsTheFactorsAfterTheFactoredDimensions) {
  SmallDevice device(1);
  const Tensor t = device.counting({4, 6, 5});
  const Tensor f = factorDims(t, {2, 3});
  EXPECT_EQ(f.shape(), (Shape{2, 2, 2, 3, 5}));
  for (const auto &i : {Shape{1, 0, 1, 2}, Shape{0, 1, 0, 1}})
    EXPECT_EQ(f.index({i[0], i[1], i[2], i[3], 4}),
              t.index({i[0] * 2 + i[2], i[1] * 3 + i[3], 4}));
}

TEST(FactorDims, CanStartAtAnInnerDimension) {
  SmallDevice device(1);
  EXPECT_EQ(factorDims(device.counting({7, 4, 6}), {4, 2}, 1).shape(),
            (Shape{7, 1, 3, 4, 2}));
}

TEST(FactorDims, UnfactoringGivesTheTensorBack) {
  SmallDevice device(1);
  const Tensor t = device.counting({4, 6, 10});
  EXPECT_EQ(unfactorDims(factorDims(t, {2, 3, 5}), 3), t);
  EXPECT_EQ(unfactorDims(factorDims(t, {3, 2}, 1), 2, 1), t);
}

TEST(FactorDims, AFactorThatDoesNotDivideThrows) {
  SmallDevice device(1);
  const Tensor t = device.counting({4, 6});
  EXPECT_THROW(factorDims(t, {2, 4}), poplibs_error);
  EXPECT_THROW(factorDims(t, {0}), poplibs_error);
  EXPECT_THROW(unfactorDims(t, 2), poplibs_error);
}

} // namespace
