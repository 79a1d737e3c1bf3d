#include "element_model.hpp"
#include "expect_error.hpp"

#include <poplar/Graph.hpp>

#include <gmock/gmock.h>
#include <sstream>
#include <type_traits>

namespace {

using namespace poplar;
using testing::ElementsAre;
using testing::StartsWith;

class TensorTest : public testing::Test {
protected:
  Graph graph{Target::createIPUTarget(1, 4, "ipu2")};
  Tensor t = graph.addVariable(FLOAT, {3, 4}, "weights");
};

TEST_F(TensorTest, IsInvalidUntilAssigned) {
  Tensor empty;
  EXPECT_FALSE(empty.valid());
  expectError<poplar_error>([&] { empty.shape(); }, {"shape", "not valid"});
  empty = t;
  EXPECT_TRUE(empty.valid());
  EXPECT_EQ(empty, t);
}

TEST_F(TensorTest, CannotBeAssignedAsATemporary) {
  EXPECT_FALSE((std::is_assignable<Tensor, const Tensor &>::value));
  EXPECT_TRUE((std::is_assignable<Tensor &, const Tensor &>::value));
}

TEST_F(TensorTest, KnowsItsShapeAndType) {
  EXPECT_EQ(t.elementType(), FLOAT);
  EXPECT_EQ(t.rank(), 2u);
  EXPECT_EQ(t.dim(1), 4u);
  EXPECT_THAT(t.shape(), ElementsAre(3, 4));
  EXPECT_EQ(t.numElements(), 12u);
  const Tensor scalar = graph.addVariable(HALF, {}, "s");
  EXPECT_EQ(scalar.rank(), 0u);
  EXPECT_EQ(scalar.numElements(), 1u);
}

TEST_F(TensorTest, IsSlicedByEveryFormOfArgument) {
  const int i = 1;
  EXPECT_EQ(t[i], t[1u]);
  EXPECT_EQ(t[std::size_t(1)], t.slice(1, 2).squeeze({0}));
  EXPECT_EQ(t.slice(0, 2), t.slice({0, 2}));
  EXPECT_EQ(t.slice(1, 3, 1), t.slice(Interval(1, 3), 1));
  EXPECT_EQ(t.slice({0, 1}, {2, 3}), t.slice(0, 2).slice(1, 3, 1));
  EXPECT_EQ(t.index({2, 3}), t[2][3]);
  EXPECT_EQ(t.index({2}), t[2]);
  const std::vector<Interval> intervals = {{0, 1}, {2, 4}};
  const auto parts = t.slices(intervals, 1);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1], t.slice(2, 4, 1));
  const std::vector<std::vector<Interval>> lists = {{{0, 1}, {2, 4}}, {}};
  const auto joined = t.slices(lists, 1);
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(joined[0], concat(parts, 1));
  EXPECT_THAT(joined[1].shape(), ElementsAre(3, 0));
  const std::vector<unsigned> rows = {2, 0};
  EXPECT_EQ(t.slices(ArrayRef<unsigned>(rows))[0], t.slice(2, 3));
}

TEST_F(TensorTest, IsConcatenatedByEveryFormOfArgument) {
  EXPECT_THAT(concat(t, t, {1}).shape(), ElementsAre(3, 8));
  EXPECT_THAT(concat({t, t, t}, 1).shape(), ElementsAre(3, 12));
  const std::vector<Tensor> list = {t, t};
  EXPECT_THAT(concat(list).shape(), ElementsAre(6, 4));
  EXPECT_EQ(append(t, t[0]), concat(t, t.slice(0, 1)));
  EXPECT_EQ(append(t, t.slice(0, 1, 1).squeeze({1}), 1),
            concat(t, t.slice(0, 1, 1), 1));
}

TEST_F(TensorTest, MovesDimensionsAsTold) {
  const Tensor u = graph.addVariable(INT, {2, 3, 5}, "u");
  EXPECT_EQ(u.dimShuffle({2, 0, 1})[4][1][2], u[1][2][4]);
  EXPECT_EQ(u.dimShufflePartial({0}, {2}), u.dimShuffle({1, 2, 0}));
  EXPECT_EQ(u.dimShufflePartial({0, 2}, {1, 0}), u.dimShuffle({2, 0, 1}));
  EXPECT_EQ(u.dimRoll(2), u.dimShuffle({2, 0, 1}));
  EXPECT_EQ(u.dimRoll(0, 1), u.dimShuffle({1, 0, 2}));
  EXPECT_EQ(t.transpose(), t.dimShuffle({1, 0}));
}

TEST_F(TensorTest, InsertsAndRemovesDimensions) {
  EXPECT_THAT(t.expand({0, 0, 2}).shape(), ElementsAre(1, 1, 3, 4, 1));
  EXPECT_EQ(t.expand({1}).squeeze({1}), t);
  EXPECT_THAT(t.reshapePartial(1, 2, {2, 2}).shape(), ElementsAre(3, 2, 2));
  EXPECT_THAT(t.reshapePartial(1, 1, {1, 1}).shape(), ElementsAre(3, 1, 1, 4));
  EXPECT_EQ(t.expand({0}).reshapePartial(0, 1, {}), t);
  EXPECT_THAT(t.expand({0}).flatten(0, 2).shape(), ElementsAre(3, 4));
}

TEST_F(TensorTest, MayHaveNoElements) {
  const Tensor none = t.slice(1, 1);
  EXPECT_THAT(none.shape(), ElementsAre(0, 4));
  EXPECT_EQ(none.numElements(), 0u);
  EXPECT_TRUE(none.getContiguousRegions().empty());
  EXPECT_TRUE(none.isContiguous());
  EXPECT_FALSE(none.containsAliases());
  EXPECT_THAT(concat(none, t).shape(), ElementsAre(3, 4));
  EXPECT_THAT(none.flatten().shape(), ElementsAre(0));
  EXPECT_THAT(t.broadcast(0, 1).shape(), ElementsAre(3, 0));
}

// Listing its elements would take all memory.
TEST_F(TensorTest, ABroadcastContainsAliasesHoweverLargeItIs) {
  const Tensor large =
      t.transpose().broadcast(1u << 20, 0).broadcast(1u << 20, 1);
  EXPECT_TRUE(large.containsAliases());
  EXPECT_TRUE(large.transpose().containsAliases());
  EXPECT_FALSE(t.transpose().broadcast(1, 0).containsAliases());
}

TEST_F(TensorTest, IsTheSameBitsAsAnotherType) {
  const Tensor bits = t.reinterpret(UNSIGNED_INT);
  EXPECT_EQ(bits.elementType(), UNSIGNED_INT);
  EXPECT_TRUE(bits.intersectsWith(t));
  EXPECT_NE(bits, t);
  expectError<type_error>([&] { t.reinterpret(HALF); }, {"weights", "half"});
}

TEST_F(TensorTest, TellsConstantsFromVariables) {
  const Tensor two = graph.addConstant(FLOAT, {2}, 2.5f);
  EXPECT_TRUE(two.containsConstant());
  EXPECT_FALSE(two.isParallelWriteable());
  EXPECT_TRUE(t.isParallelWriteable());
  EXPECT_FALSE(t.broadcast(2, 0).isParallelWriteable());
  EXPECT_TRUE(concat(t.flatten(), two).containsConstant());
  float value = 0;
  EXPECT_FALSE(two.getConstantValue(&value));
  EXPECT_TRUE(two[1].getConstantValue(&value));
  EXPECT_EQ(value, 2.5f);
  int whole = 0;
  EXPECT_TRUE(two.slice(0, 1).getConstantValue(&whole));
  EXPECT_EQ(whole, 2);
  EXPECT_FALSE(t[0][0].getConstantValue(&value));
}

TEST_F(TensorTest, IsDescribedByItsVariables) {
  const Tensor bias = graph.addVariable(FLOAT, {4}, "bias");
  const Tensor both = concat(t, bias.expand({0}));
  EXPECT_EQ(both.shapeToString(), "{4,4}");
  EXPECT_EQ(both.getVarStr(), "weights,bias");
  std::ostringstream os;
  os << both.slice(2, 4);
  EXPECT_EQ(os.str(), "float{2,4} weights[8,12) bias[0,4)");
  EXPECT_EQ(both.slice(2, 4).getDebugStr(), os.str());
}

TEST_F(TensorTest, RefusesRangesBeyondItsShape) {
  expectError<index_error>([&] { t.slice(2, 5); },
                           {"slice", "[2,5)", "weights", "{3,4}"});
  expectError<index_error>([&] { t.slice(2, 1); }, {"[2,1)", "weights"});
  expectError<index_error>([&] { t.slice(0, 1, 2); },
                           {"weights", "dimension 2"});
  expectError<index_error>([&] { t[3]; }, {"index 3", "weights", "{3,4}"});
  expectError<index_error>([&] { t[0][0][0]; }, {"weights", "dimension 0"});
  expectError<index_error>([&] { t.index({0, 0, 0}); }, {"weights", "{0,0,0}"});
  expectError<index_error>([&] { t.slice({0}, {1, 2}); }, {"weights", "{1,2}"});
  expectError<index_error>([&] { t.dim(2); }, {"weights", "dimension 2"});
  expectError<index_error>([&] { t.expand({3}); }, {"weights", "dimension 3"});
  expectError<index_error>([&] { t.reshapePartial(1, 3, {}); },
                           {"weights", "[1,3)"});
}

TEST_F(TensorTest, RefusesShapesThatDoNotFit) {
  expectError<poplar_error>([&] { t.reshape({5}); },
                            {"reshape", "weights", "12", "{5}", "5"});
  expectError<poplar_error>([&] { t.squeeze({0}); }, {"squeeze", "weights"});
  expectError<poplar_error>([&] { t.flatten().transpose(); },
                            {"transpose", "weights", "{12}"});
  expectError<poplar_error>(
      [&] {
        t.dimShuffle({0, 0});
      },
      {"dimShuffle", "{0,0}", "weights"});
  expectError<poplar_error>(
      [&] {
        t.dimShufflePartial({0, 1}, {1, 1});
      },
      {"dimShufflePartial", "weights"});
  expectError<poplar_error>([&] { t.subSample(0, 0); }, {"stride", "weights"});
}

TEST_F(TensorTest, RefusesToJoinWhatDoesNotBelongTogether) {
  const Tensor ints = graph.addVariable(INT, {3, 4}, "counts");
  expectError<type_error>([&] { concat(t, ints); }, {"weights", "counts"});
  const Tensor wide = graph.addVariable(FLOAT, {3, 5}, "wide");
  expectError<poplar_error>([&] { concat(t, wide); },
                            {"weights", "{3,4}", "wide", "{3,5}"});
  expectError<poplar_error>([] { concat(std::vector<Tensor>()); }, {"concat"});
  expectError<poplar_error>([&] { concat(t, Tensor()); }, {"not valid"});
  Graph other(graph.getTarget());
  const Tensor foreign = other.addVariable(FLOAT, {3, 4}, "foreign");
  expectError<poplar_error>([&] { concat(t, foreign); },
                            {"weights", "foreign", "different graphs"});
}

TEST_F(TensorTest, ErrorsBeginWithThePlaceOfTheVariable) {
  const unsigned line = __LINE__ + 1;
  const Tensor here = graph.addVariable(FLOAT, {2}, "here");
  try {
    here.slice(0, 3);
    FAIL();
  } catch (const index_error &error) {
    EXPECT_THAT(error.what(), StartsWith(std::string(__FILE__) + ":" +
                                         std::to_string(line) + " "));
  }
}

TEST(TensorOfLargeVariables, IsReorderedWithoutWalkingOverElements) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  const std::size_t n = std::size_t(1) << 20;
  Tensor t = graph.addVariable(FLOAT, {n, n}, "huge").transpose().reverse(0);
  EXPECT_FALSE(t.containsAliases());
  Tensor flat = t.flatten();
  graph.reorderToSimplify(&flat, {}, false);
  EXPECT_TRUE(flat.isContiguous());
  graph.setTileMapping(t, 3);
  EXPECT_EQ(graph.getTileMapping(flat)[3].size(), 1u);
  EXPECT_EQ(graph.clone(t).shape(), t.shape());
  EXPECT_EQ(graph.clone(t.slice(0, n / 2, 1)).numElements(), n * n / 2);
}

} // namespace
