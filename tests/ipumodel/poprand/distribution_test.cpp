#include "random_model.hpp"

#include <gmock/gmock.h>
#include <limits>

using namespace poplar;
using namespace poprandtest;
using poputil::poplibs_error;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::Le;

namespace {

constexpr std::size_t kCount = 50000;

// Pearson's statistic for outcomes of the given probabilities.
double chiSquare(const std::vector<double> &numbers, int first,
                 const std::vector<double> &probabilities) {
  std::vector<double> counts(probabilities.size());
  for (const double x : numbers)
    ++counts.at(static_cast<std::size_t>(static_cast<int>(x) - first));
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected =
        probabilities[i] * static_cast<double>(numbers.size());
    sum += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  return sum;
}
constexpr double kFarFor9Degrees = 21.7; // exceeded once in a hundred times

} // namespace

TEST(Uniform, FloatsFillTheirIntervalEvenly) {
  RandomModel m;
  const auto x = m.run(poprand::uniform(
      m.graph, &m.seed, 7, m.variable({kCount}), FLOAT, -2.5, 0.75, m.prog));
  EXPECT_LT(distance(x, [](double v) { return (v + 2.5) / 3.25; }), kFar);
  EXPECT_THAT(x, Each(AllOf(Ge(-2.5), Le(0.75))));
}

TEST(Uniform, HalvesStayInsideBoundsThatAreNoHalves) {
  RandomModel m;
  const auto x = m.run(poprand::uniform(
      m.graph, &m.seed, 0, m.variable({kCount}), HALF, 0.3, 0.301, m.prog));
  EXPECT_THAT(x, Each(AllOf(Ge(0.3), Le(0.301))));
  EXPECT_GT(*std::max_element(x.begin(), x.end()),
            *std::min_element(x.begin(), x.end()));
}

TEST(Uniform, RangesWiderThanTheLargestFloatDoNotOverflow) {
  RandomModel m;
  constexpr double kMost = std::numeric_limits<float>::max();
  const auto x = m.run(poprand::uniform(m.graph, &m.seed, 0, m.variable({1000}),
                                        FLOAT, -kMost, kMost, m.prog));
  EXPECT_THAT(x, Each(AllOf(Ge(-kMost), Le(kMost))));
}

TEST(Uniform, IntegersAreEquallyLikelyUpToBothEnds) {
  RandomModel m;
  const auto x = m.run(poprand::uniform(
      m.graph, &m.seed, 3, m.variable({kCount}), INT, -3, 6, m.prog));
  EXPECT_LT(chiSquare(x, -3, std::vector<double>(10, 0.1)), kFarFor9Degrees);
}

TEST(Uniform, AllIntegersCanBeAskedFor) {
  RandomModel m;
  constexpr double kLeast = std::numeric_limits<int>::min();
  constexpr double kMost = std::numeric_limits<int>::max();
  const auto x = m.run(poprand::uniform(
      m.graph, &m.seed, 3, m.variable({kCount}), INT, kLeast, kMost, m.prog));
  EXPECT_LT(distance(x, [](double v) { return (v - kLeast) / 0x1p32; }), kFar);
}

TEST(LogUniform, LogarithmsFillTheirIntervalEvenly) {
  RandomModel m;
  const auto x = m.run(poprand::logUniform(
      m.graph, &m.seed, 7, m.variable({kCount}), FLOAT, 1, 1000, m.prog));
  EXPECT_LT(distance(x, [](double v) { return std::log(v) / std::log(1000); }),
            kFar);
  EXPECT_THAT(x, Each(AllOf(Ge(1), Le(1000))));
}

TEST(LogUniform, IntegersAreTruncated) {
  RandomModel m;
  const auto x = m.run(poprand::logUniform(
      m.graph, &m.seed, 7, m.variable({kCount}), INT, 1, 11, m.prog));
  std::vector<double> probabilities;
  for (int i = 1; i <= 10; ++i)
    probabilities.push_back(std::log((i + 1.0) / i) / std::log(11));
  EXPECT_LT(chiSquare(x, 1, probabilities), kFarFor9Degrees);
}

TEST(LogUniform, HalvesAreSqueezedIntoTheirRange) {
  RandomModel m;
  const auto x = m.run(poprand::logUniform(
      m.graph, &m.seed, 7, m.variable({kCount}), HALF, 2049, 4098, m.prog));
  EXPECT_THAT(x, Each(AllOf(Ge(2050), Le(4096))));
}

TEST(LogUniform, TheBaseMakesNoDifference) {
  RandomModel m;
  const Tensor like = m.variable({100});
  m.read(poprand::logUniform(m.graph, &m.seed, 7, like, FLOAT, 1, 9, m.prog));
  m.read(
      poprand::logUniform(m.graph, &m.seed, 7, like, FLOAT, 1, 9, m.prog, 2));
  const auto x = m.run();
  EXPECT_EQ(x[0], x[1]);
}

TEST(Bernoulli, OnesAreAsLikelyAsAskedFor) {
  for (const Type &type : {FLOAT, HALF, INT}) {
    RandomModel m;
    const auto x = m.run(poprand::bernoulli(
        m.graph, &m.seed, 1, m.variable({kCount}), type, 0.3, m.prog));
    EXPECT_THAT(x, Each(testing::AnyOf(0, 1)));
    const double deviation = std::sqrt(0.3 * 0.7 / kCount);
    EXPECT_NEAR(meanOf(x), 0.3, 3 * deviation);
  }
}

TEST(Bernoulli, ProbabilitiesAreRoundedDownToMultiplesOfTwoToTheMinus16) {
  RandomModel m;
  const Tensor like = m.variable({kCount * 4});
  m.read(poprand::bernoulli(m.graph, &m.seed, 1, like, INT, 0x1.fp-17, m.prog));
  m.read(poprand::bernoulli(m.graph, &m.seed, 1, like, INT, 1, m.prog));
  const auto x = m.run();
  EXPECT_THAT(x[0], Each(0));
  EXPECT_THAT(x[1], Each(1));
}

TEST(Normal, FollowsItsDistribution) {
  RandomModel m;
  const auto x = m.run(poprand::normal(
      m.graph, &m.seed, 7, m.variable({kCount}), FLOAT, 3, 0.5, m.prog));
  EXPECT_LT(distance(x, [](double v) { return normalCdf((v - 3) / 0.5); }),
            kFar);
  double squares = 0, fourths = 0, furthest = 0;
  for (const double v : x) {
    const double z = (v - 3) / 0.5;
    squares += z * z / kCount;
    fourths += z * z * z * z / kCount;
    furthest = std::max(furthest, std::abs(z));
  }
  // Three standard errors: of the variance and of the fourth moment.
  EXPECT_NEAR(squares, 1, 3 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(fourths, 3, 3 * std::sqrt(96.0 / kCount));
  EXPECT_GT(furthest, 3.8); // there are tails
}

TEST(Normal, HalvesFollowItToo) {
  RandomModel m;
  const auto x = m.run(poprand::normal(m.graph, &m.seed, 8, m.variable({5000}),
                                       HALF, 0, 1, m.prog));
  EXPECT_LT(distance(x, normalCdf), kFar);
}

TEST(TruncatedNormal, IsCutOffOnBothSides) {
  RandomModel m;
  const auto x = m.run(poprand::truncatedNormal(
      m.graph, &m.seed, 7, m.variable({kCount}), FLOAT, 1, 2, 1.5, m.prog));
  const double tail = normalCdf(-1.5);
  EXPECT_LT(distance(x,
                     [&](double v) {
                       return (normalCdf((v - 1) / 2) - tail) / (1 - 2 * tail);
                     }),
            kFar);
  EXPECT_THAT(x, Each(AllOf(Ge(-2), Le(4))));
}

TEST(RandomNumbers, NeighboursAreIndependent) {
  RandomModel m;
  const auto x = m.run(poprand::normal(
      m.graph, &m.seed, 7, m.variable({kCount}), FLOAT, 0, 1, m.prog));
  for (const std::size_t lag : {1, 2, 4, 8, 16, 32, 64}) {
    double product = 0;
    for (std::size_t i = lag; i < kCount; ++i)
      product += x[i] * x[i - lag] / static_cast<double>(kCount - lag);
    EXPECT_NEAR(product, 0, 3 / std::sqrt(kCount)) << lag;
  }
}

TEST(RandomNumbers, MisuseIsRefused) {
  RandomModel m;
  const Tensor like = m.variable({4});
  const Tensor *seed = &m.seed;
  Graph &g = m.graph;
  EXPECT_THROW(poprand::uniform(g, seed, 0, like, BOOL, 0, 1, m.prog),
               poplibs_error);
  EXPECT_THROW(poprand::uniform(g, seed, 0, like, FLOAT, 1, 0, m.prog),
               poplibs_error);
  EXPECT_THROW(poprand::uniform(g, seed, 0, like, INT, 0, 0x1p31, m.prog),
               poplibs_error);
  EXPECT_THROW(poprand::uniform(g, seed, 0, like, HALF, 1e6, 2e6, m.prog),
               poplibs_error);
  EXPECT_THROW(poprand::logUniform(g, seed, 0, like, FLOAT, 0.5, 2, m.prog),
               poplibs_error);
  EXPECT_THROW(poprand::logUniform(g, seed, 0, like, FLOAT, 2, 2, m.prog),
               poplibs_error);
  EXPECT_THROW(poprand::logUniform(g, seed, 0, like, INT, 1.5, 2, m.prog),
               poplibs_error);
  EXPECT_THROW(
      poprand::logUniform(g, seed, 0, like, HALF, 28392, 28393, m.prog),
      poplibs_error);
  EXPECT_THROW(poprand::logUniform(g, seed, 0, like, FLOAT, 1, 2, m.prog, 1),
               poplibs_error);
  EXPECT_THROW(poprand::bernoulli(g, seed, 0, like, INT, 1.1, m.prog),
               poplibs_error);
  EXPECT_THROW(poprand::normal(g, seed, 0, like, INT, 0, 1, m.prog),
               poplibs_error);
  EXPECT_THROW(
      poprand::truncatedNormal(g, seed, 0, like, FLOAT, 0, 1, 0, m.prog),
      poplibs_error);
}

TEST(RandomNumbers, TensorsWithoutElementsStayEmpty) {
  RandomModel m;
  const Tensor x = poprand::uniform(m.graph, &m.seed, 0, m.variable({0, 3}),
                                    FLOAT, 0, 1, m.prog);
  EXPECT_EQ(x.shape(), (std::vector<std::size_t>{0, 3}));
  EXPECT_TRUE(m.run(x).empty());
}
