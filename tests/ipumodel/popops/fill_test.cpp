#include "operators.hpp"

#include <poplar/exceptions.hpp>
#include <popops/AllTrue.hpp>
#include <popops/Fill.hpp>
#include <popops/NaN.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <gmock/gmock.h>

using namespace poplar;
using operators::Bench;
using poplar::program::Execute;
using poputil::poplibs_error;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Fill, ConvertsTheValueToTheElementType) {
  Bench b;
  const Tensor f = b.floats({3}, {1, 2, 3}), h = b.halves({2}, {1, 2}),
               i = b.ints({2, 2}, {1, 2, 3, 4}), c = b.variable(BOOL, {2});
  popops::fill(b.graph, f, b.prog, 2.5f);
  popops::fill(b.graph, h, b.prog, 3);
  popops::fill(b.graph, i.slice(0, 1), b.prog, -7.9);
  popops::fill(b.graph, c, b.prog, 5u);
  const std::string first = b.watch(f), second = b.watch(h), third = b.watch(i),
                    fourth = b.watch(c);
  b.run();
  EXPECT_THAT(b.read<float>(first, 3), Each(2.5f));
  EXPECT_THAT(b.read<std::uint16_t>(second, 2), Each(0x4200));
  EXPECT_THAT(b.read<int>(third, 4), ElementsAre(-7, -7, 3, 4));
  EXPECT_THAT(b.read<std::uint8_t>(fourth, 2), Each(1));
}

TEST(Fill, OfLongTensorsReachesTheEnd) {
  Bench b;
  const Tensor t = b.variable(INT, {100003});
  popops::fill(b.graph, t, b.prog, 42);
  EXPECT_THAT(b.result<int>(t), Each(42));
}

TEST(Fill, OfQuartersFollowsTheirMetadata) {
  Bench b;
  const Tensor metadata = poputil::createVariableMetadataTensor(
      b.graph, QuarterMetadata::Format::F143, 2);
  const Tensor q = b.graph.addVariable(QUARTER, metadata, {2});
  poputil::mapTensorLinearly(b.graph, q);
  popops::fill(b.graph, q, b.prog, 12.0f);
  popops::zero(b.graph, q.slice(0, 1), b.prog);
  EXPECT_THAT(b.result<std::uint8_t>(q.reinterpret(UNSIGNED_CHAR)),
              ElementsAre(0, 0x4c)); // 12 / 2^2 = 1.5 * 2^(9 - 8)
}

TEST(Fill, OfAConstantIsRefusedByTheNameOfTheCall) {
  Bench b;
  const Tensor constant = b.graph.addConstant<float>(FLOAT, {4}, 1.0f);
  b.graph.setTileMapping(constant, 0);
  popops::fill(b.graph, constant, b.prog, 7.0f, "warm/up");
  try {
    b.run();
    FAIL() << "nothing was thrown";
  } catch (const graph_connection_error &error) {
    EXPECT_THAT(error.what(), HasSubstr(" 'warm/up': popops.map writes to "));
  }
}

TEST(Zero, InAComputeSetTakesRegionsATileOrAMapping) {
  Bench b;
  const std::vector<float> ones(10, 1);
  const Tensor x = b.floats({10}, ones), y = b.floats({2}, {1, 1}),
               z = b.floats({2, 5}, ones), w = b.floats({3}, {1, 1, 1});
  const ComputeSet cs = b.graph.addComputeSet("zero");
  popops::zero(b.graph, x, {{1, 3}, {8, 10}}, 2, cs);
  popops::zero(b.graph, y, 0, cs);
  popops::zero(b.graph, z, {{{0, 2}}, {}, {{5, 6}}}, cs);
  popops::fill(b.graph, w, 1, cs, 4.0f);
  b.prog.add(Execute(cs));
  const std::string first = b.watch(x), second = b.watch(y), third = b.watch(z),
                    fourth = b.watch(w);
  b.run();
  EXPECT_THAT(b.read<float>(first, 10),
              ElementsAre(1, 0, 0, 1, 1, 1, 1, 1, 0, 0));
  EXPECT_THAT(b.read<float>(second, 2), Each(0));
  EXPECT_THAT(b.read<float>(third, 10),
              ElementsAre(0, 0, 1, 1, 1, 0, 1, 1, 1, 1));
  EXPECT_THAT(b.read<float>(fourth, 3), Each(4));
}

TEST(NaN, IsFoundAnywhere) {
  for (const Type &type : {FLOAT, HALF})
    for (const std::size_t place : {0u, 7u, 99999u}) {
      Bench b;
      std::vector<float> values(100000, 65504);
      const Tensor finite = b.tensor(type, {values.size()}, values);
      values[place] = -INFINITY;
      const Tensor infinite = b.tensor(type, {values.size()}, values);
      values[place] = NAN;
      const Tensor nan = b.tensor(type, {values.size()}, values);
      std::vector<std::string> results;
      for (const Tensor &t : {finite, infinite, nan}) {
        results.push_back(b.watch(popops::hasNaN(b.graph, t, b.prog)));
        results.push_back(b.watch(popops::hasNaNOrInf(b.graph, t, b.prog)));
      }
      b.run();
      std::vector<int> found;
      for (const std::string &result : results)
        found.push_back(b.read<std::uint8_t>(result, 1)[0]);
      EXPECT_THAT(found, ElementsAre(0, 0, 0, 1, 1, 1));
    }
}

TEST(NaN, IsOnlyInFloats) {
  Bench b;
  EXPECT_THROW(popops::hasNaN(b.graph, b.ints({1}, {1}), b.prog),
               poplibs_error);
}

TEST(AllTrue, IsTrueIfNoElementIsFalse) {
  Bench b;
  const Tensor x = b.tensor<unsigned char>(BOOL, {3}, {1, 1, 0});
  std::vector<std::string> results;
  for (const Tensor &t : {x, x.slice(0, 2), x.slice(0, 0)}) {
    const Tensor all = popops::allTrue(b.graph, t, b.prog);
    EXPECT_EQ(all.rank(), 0u);
    results.push_back(b.watch(all));
  }
  b.run();
  EXPECT_EQ(b.read<std::uint8_t>(results[0], 1)[0], 0);
  EXPECT_EQ(b.read<std::uint8_t>(results[1], 1)[0], 1);
  EXPECT_EQ(b.read<std::uint8_t>(results[2], 1)[0], 1);
  EXPECT_THROW(popops::allTrue(b.graph, b.ints({1}, {1}), b.prog),
               poplibs_error);
}
