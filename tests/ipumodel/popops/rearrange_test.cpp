// Tensors stored in another order have the same values.
#include "operators.hpp"

#include <popops/Rearrange.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>

using namespace poplar;
using namespace popops::rearrange;
using operators::Bench;
using operators::counting;
using operators::Shape;
using poputil::detectDimGroupings;
using poputil::GroupingInfo;
using poputil::poplibs_error;
using testing::ElementsAre;
using testing::ElementsAreArray;

namespace {

// [32, 16], in rows of 8 elements on 4 tiles.
Tensor rows(Bench &b) {
  const Tensor t = b.floats({32, 16}, counting(512));
  poputil::mapTensorLinearly(b.graph, t, 8, 8);
  return t;
}

} // namespace

TEST(Rearrange, MakesTheGroupsThatAreAskedFor) {
  Bench b;
  const Tensor in = rows(b);
  const Tensor out = regroupIfPossible(b.graph, in, b.prog, {0, 16});
  EXPECT_THAT(detectDimGroupings(b.graph, in),
              ElementsAre(GroupingInfo(1, 16), GroupingInfo(0, 8)));
  EXPECT_THAT(detectDimGroupings(b.graph, out),
              ElementsAre(GroupingInfo(0, 16), GroupingInfo(1, 8)));
  EXPECT_THAT(b.floatsOf(out), ElementsAreArray(counting(512)));
}

TEST(Rearrange, LeavesATensorAsItIsIfThatIsNotPossible) {
  Bench b;
  const Tensor in = rows(b);
  EXPECT_EQ(regroupIfPossible(b.graph, in, b.prog, {1, 16}), in);
  EXPECT_EQ(regroupIfPossible(b.graph, in, b.prog, {0, 7}), in);
  EXPECT_EQ(regroupIfPossible(b.graph, in, b.prog, {2, 1}), in);
  const Tensor flat = in.flatten();
  EXPECT_EQ(regroupIfPossible(b.graph, flat, b.prog, {0, 8}), flat);
  EXPECT_EQ(regroupIfBeneficial(b.graph, in, in, b.prog), in);
  EXPECT_EQ(regroupIfBeneficial(b.graph, in, 8, b.prog), in);
}

TEST(Rearrange, FollowsAReference) {
  Bench b;
  const Tensor in = rows(b);
  const Tensor ref = b.variable(FLOAT, {16, 32}).transpose();
  const Tensor out = regroupIfBeneficial(b.graph, in, ref, b.prog);
  EXPECT_EQ(detectDimGroupings(b.graph, out).at(0).first, 0u);
  const Tensor back = regroupIfBeneficial(b.graph, out, 16, b.prog);
  EXPECT_EQ(detectDimGroupings(b.graph, back).at(0).first, 1u);
  EXPECT_THAT(b.floatsOf(back), ElementsAreArray(counting(512)));
  EXPECT_THROW(regroupIfBeneficial(b.graph, in, ref.transpose(), b.prog),
               poplibs_error);
  EXPECT_THROW(regroupIfBeneficial(b.graph, in, 5, b.prog), poplibs_error);
}

TEST(Rearrange, GivesItsCopiesToTheCaller) {
  Bench b;
  const ComputeSet cs = b.graph.addComputeSet();
  std::vector<program::Copy> copies;
  const Tensor out =
      regroupTensor(b.graph, rows(b), copies, cs, {1, 8}, {0, 4});
  for (const program::Copy &copy : copies)
    b.prog.add(copy);
  b.prog.add(program::Execute(cs));
  EXPECT_THAT(b.floatsOf(out), ElementsAreArray(counting(512)));
  EXPECT_THROW(regroupTensor(b.graph, out, copies, cs, {1, 5}, {0, 4}),
               poplibs_error);
  EXPECT_THROW(regroupTensor(b.graph, b.variable(BOOL, {4, 4}), copies, cs,
                             {1, 4}, {0, 4}),
               poplibs_error);
}

TEST(Rearrange, TransposesInAComputeSet) {
  Bench b;
  const ComputeSet cs = b.graph.addComputeSet();
  const Tensor in = b.ints({2, 2, 3}, counting<int>(12));
  const Tensor out = partialTranspose(b.graph, in, cs);
  b.prog.add(program::Execute(cs));
  EXPECT_EQ(out.shape(), Shape({2, 3, 2}));
  EXPECT_THAT(b.result<int>(out),
              ElementsAre(0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11));
  EXPECT_THROW(partialTranspose(b.graph, in.flatten(), cs), poplibs_error);
}

TEST(Rearrange, KnowsTheSmallestGroups) {
  EXPECT_EQ(getMinimumRegroupGrainSize(QUARTER), 8u);
  EXPECT_EQ(getMinimumRegroupGrainSize(HALF), 4u);
  EXPECT_EQ(getMinimumRegroupGrainSize(INT), 2u);
  EXPECT_EQ(getMinimumRegroupGrainSize(BOOL), 1u);
}

TEST(Rearrange, KnowsWhatCanBeTransposedFast) {
  Bench b;
  const Target &target = b.graph.getTarget();
  EXPECT_TRUE(canUseFastTranspose(target, HALF, 8, 16, 3));
  EXPECT_TRUE(canUseFastTranspose(target, QUARTER, 8, 16, 3));
  EXPECT_FALSE(canUseFastTranspose(target, HALF, 6, 16, 3));
  EXPECT_FALSE(canUseFastTranspose(target, QUARTER, 8, 12, 3));
  EXPECT_FALSE(canUseFastTranspose(target, FLOAT, 8, 16, 3));
  EXPECT_FALSE(canUseFastTranspose(target, HALF, 8, 16, 70000));
  EXPECT_FALSE(canUseFastTranspose(target, HALF, 4, 4096, 3));
}
