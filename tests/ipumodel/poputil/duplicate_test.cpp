#include "small_device.hpp"

#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>

#include <gmock/gmock.h>

using namespace poputil;
using namespace poplar;
using poplar::program::Sequence;
using testing::ElementsAre;

namespace {

class Duplicate : public testing::TestWithParam<TensorCloneMethod> {};

TEST_P(Duplicate, HoldsTheValuesInNewVariables) {
  SmallDevice device(4);
  const Tensor t = device.counting({2, 3});
  mapTensorLinearly(device.graph, t, 1, 1);
  Sequence prog;
  const Tensor copy =
      duplicate(device.graph, t.transpose(), prog, "copy", GetParam());
  EXPECT_FALSE(copy.intersectsWith(t));
  EXPECT_EQ(device.graph.getTileMapping(copy),
            device.graph.getTileMapping(t.transpose()));
  EXPECT_THAT(device.valuesAfter(prog, copy), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST_P(Duplicate, OfATensorWithAliasesHoldsTheValues) {
  SmallDevice device(4);
  const Tensor t = device.counting({3});
  mapTensorLinearly(device.graph, t, 1, 1);
  Sequence prog;
  const Tensor copy =
      duplicate(device.graph, t.broadcast(2, 0), prog, {}, GetParam());
  const bool keepsAliases =
      GetParam() == TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES ||
      GetParam() ==
          TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES;
  EXPECT_EQ(copy.containsAliases(), keepsAliases);
  EXPECT_THAT(device.valuesAfter(prog, copy), ElementsAre(0, 1, 2, 0, 1, 2));
}

INSTANTIATE_TEST_SUITE_P(
    AllMethods, Duplicate,
    testing::Values(
        TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES,
        TensorCloneMethod::CREATE_NEW_ORDER,
        TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
        TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES),
    [](const auto &info) { return toString(info.param); });

TEST(CloneN, StacksClones) {
  SmallDevice device(4);
  const Tensor t = device.counting({2, 3});
  mapTensorLinearly(device.graph, t, 1, 1);
  const Tensor clones = cloneN(device.graph, t, 5);
  EXPECT_EQ(clones.shape(), (std::vector<std::size_t>{5, 2, 3}));
  EXPECT_TRUE(clones.isParallelWriteable());
  for (unsigned i = 0; i < 5; ++i)
    EXPECT_EQ(device.graph.getTileMapping(clones[i]),
              device.graph.getTileMapping(t));
}

} // namespace
