// The IPU's random numbers in codelets.
#include "compiled.hpp"
#include "vertex_object.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <set>

namespace {

using ipumodel::abi::RandomState;

// Numbers of the generator's published C code from the state {1, 2}.
TEST(RandomNumbers, AreThoseOfTheIpusGenerator) {
  const auto &type = vertexType("random.cpp", "Draw");
  ASSERT_EQ(type.numRandomStates, 1u);
  VertexObject vertex(type);
  vertex.setRandomState(0, {{1, 2}});
  std::vector<unsigned long long> out(4);
  vertex.setVector("out", out);
  EXPECT_TRUE(vertex.run());
  EXPECT_THAT(out,
              testing::ElementsAre(0x3u, 0x8000300000c003u, 0x13840e038000363u,
                                   0xa080fed030c4c36eu));
}

TEST(RandomNumbers, GoOnWhereTheLastRunOfTheVertexEnded) {
  VertexObject once(vertexType("random.cpp", "Draw"));
  VertexObject twice(vertexType("random.cpp", "Draw"));
  once.setRandomState(0, {{3, 4}});
  twice.setRandomState(0, {{3, 4}});
  std::vector<unsigned long long> all(4), first(2), second(2);
  once.setVector("out", all);
  EXPECT_TRUE(once.run());
  twice.setVector("out", first);
  EXPECT_TRUE(twice.run());
  twice.setVector("out", second);
  EXPECT_TRUE(twice.run());
  first.insert(first.end(), second.begin(), second.end());
  EXPECT_EQ(first, all);
}

TEST(RandomNumbers, OfEveryWorkerAreItsOwn) {
  const auto &type = vertexType("random.cpp", "DrawByWorkers");
  ASSERT_EQ(type.numRandomStates, 6u);
  VertexObject vertex(type);
  for (unsigned worker = 0; worker < 6; ++worker)
    vertex.setRandomState(worker, {{(worker / 2 + 1ull) << 40, 5}});
  std::vector<unsigned> out(6);
  vertex.setVector("out", out);
  EXPECT_TRUE(vertex.run());
  EXPECT_EQ(out[0], out[1]);
  EXPECT_EQ(std::set<unsigned>(out.begin(), out.end()).size(), 3u);
}

struct Moments {
  double mean = 0, variance = 0, least = 0, greatest = 0;
  explicit Moments(const std::vector<float> &numbers) {
    for (const double number : numbers) {
      mean += number / numbers.size();
      variance += number * number / numbers.size();
      least = std::min(least, number);
      greatest = std::max(greatest, number);
    }
    variance -= mean * mean;
  }
};

TEST(RandomNumbers, OfFloatingPointHaveTheirDistribution) {
  VertexObject vertex(vertexType("random.cpp", "DrawFractions"));
  vertex.setRandomState(0, {{22, 7}});
  constexpr std::size_t kCount = 100000;
  std::vector<float> uniform(kCount), halves(kCount), gaussian(kCount),
      halfGaussian(kCount);
  vertex.setVector("uniform", uniform);
  vertex.setVector("halves", halves);
  vertex.setVector("gaussian", gaussian);
  vertex.setVector("halfGaussian", halfGaussian);
  EXPECT_TRUE(vertex.run());
  for (const auto *numbers : {&uniform, &halves}) {
    const Moments moments(*numbers);
    EXPECT_NEAR(moments.mean, 0, 0.005);
    EXPECT_NEAR(moments.variance, 1.0 / 12, 0.001);
    EXPECT_NEAR(moments.least, -0.5, 0.001);
    EXPECT_NEAR(moments.greatest, 0.5, 0.001);
    EXPECT_LT(moments.greatest, 0.5);
  }
  for (const auto *numbers : {&gaussian, &halfGaussian}) {
    const Moments moments(*numbers);
    EXPECT_NEAR(moments.mean, 0, 0.015);
    EXPECT_NEAR(moments.variance, 1, 0.02);
    EXPECT_GT(moments.greatest, 3.5);
    EXPECT_LE(moments.greatest, 6);
  }
}

TEST(RandomNumbers, CostVerticesWithoutThemNothing) {
  EXPECT_EQ(vertexType("vectors.cpp", "Conversions").numRandomStates, 0u);
}

} // namespace
