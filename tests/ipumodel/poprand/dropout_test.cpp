#include "random_model.hpp"

#include <gmock/gmock.h>

using namespace poplar;
using namespace poprandtest;
using poputil::poplibs_error;

namespace {

constexpr std::size_t kCount = 20000;

// True where an input that has no zeros was kept.
std::vector<bool> keptOf(const std::vector<double> &x) {
  std::vector<bool> kept;
  for (const double v : x)
    kept.push_back(v != 0);
  return kept;
}

} // namespace

TEST(Dropout, ElementsAreScaledOrZero) {
  RandomModel m;
  const Tensor x = m.counting({kCount});
  const auto y =
      m.run(poprand::dropout(m.graph, &m.seed, 0, x, x, 0.25, 4, m.prog));
  double kept = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (y[i] == 0)
      continue;
    ASSERT_EQ(y[i], 4.0 * static_cast<double>(i + 1));
    ++kept;
  }
  EXPECT_NEAR(kept / kCount, 0.25, 3 * std::sqrt(0.25 * 0.75 / kCount));
}

TEST(Dropout, TheScaleIsTheCallers) {
  RandomModel m;
  const Tensor x = m.counting({kCount});
  const auto y =
      m.run(poprand::dropout(m.graph, &m.seed, 0, x, x, 0.5, 1, m.prog));
  const auto kept = keptOf(y);
  for (std::size_t i = 0; i < kCount; ++i)
    ASSERT_EQ(y[i], kept[i] ? static_cast<double>(i + 1) : 0);
}

TEST(Dropout, TheScaleIsIgnoredIfAllIsKept) {
  RandomModel m;
  const Tensor x = m.counting({3});
  m.read(poprand::dropout(m.graph, &m.seed, 0, x, x, 1, 8, m.prog));
  m.read(poprand::shapedDropout(m.graph, &m.seed, 0, x, x, 1, 8, m.prog));
  for (const auto &y : m.run())
    EXPECT_THAT(y, testing::ElementsAre(1, 2, 3));
}

TEST(Dropout, NothingIsKeptWithProbabilityZero) {
  RandomModel m;
  const Tensor x = m.counting({1000});
  EXPECT_THAT(m.run(poprand::dropout(m.graph, &m.seed, 0, x, x, 0, 1, m.prog)),
              testing::Each(0));
}

TEST(Dropout, GradientsHaveTheMaskOfTheForwardPass) {
  RandomModel m;
  const Tensor x = m.counting({20, 1000});
  const Tensor dy = m.counting({1000, 20}).transpose(); // another layout
  m.read(poprand::dropout(m.graph, &m.seed, 5, x, x, 0.5, 2, m.prog));
  m.read(poprand::dropout(m.graph, &m.seed, 5, dy, x, 0.5, 2, m.prog));
  m.read(poprand::dropout(m.graph, &m.seed, 6, dy, x, 0.5, 2, m.prog));
  const auto y = m.run();
  EXPECT_EQ(keptOf(y[0]), keptOf(y[1]));
  EXPECT_NE(keptOf(y[0]), keptOf(y[2])) << "with another modifier";
}

TEST(Dropout, HalvesAreScaledByAHalfAndRoundedOnce) {
  RandomModel m;
  const Tensor x = m.counting({2000}, HALF);
  const auto y =
      m.run(poprand::dropout(m.graph, &m.seed, 0, x, x, 0.7, 1 / 0.7, m.prog));
  const double scale = 1.4287109375; // the half next to 1 / 0.7
  const auto kept = keptOf(y);
  for (std::size_t i = 0; i < y.size(); ++i)
    if (kept[i]) {
      const double exact = scale * static_cast<double>(i + 1);
      ASSERT_NEAR(y[i], exact, exact * 0x1p-11);
    }
}

TEST(Dropout, ResultsHaveTheLayoutThatWasAskedFor) {
  RandomModel m;
  const Tensor x = m.counting({4, 4});
  const Tensor reference = m.graph.addVariable(FLOAT, {4, 4});
  m.graph.setTileMapping(reference, 3);
  const Tensor likeReference =
      poprand::dropout(m.graph, &m.seed, 0, x, reference, 0.5, 2, m.prog);
  const Tensor likeInput = poprand::dropout(m.graph, &m.seed, 0, x, reference,
                                            0.5, 2, false, m.prog);
  EXPECT_EQ(m.graph.getTileMapping(likeReference),
            m.graph.getTileMapping(reference));
  EXPECT_EQ(m.graph.getTileMapping(likeInput), m.graph.getTileMapping(x));
  m.read(likeReference);
  m.read(likeInput);
  const auto y = m.run();
  EXPECT_EQ(y[0], y[1]);
}

TEST(ShapedDropout, DropsWholeChannels) {
  for (const Type &type : {FLOAT, HALF}) {
    RandomModel m;
    const Tensor x = m.counting({8, 16, 3, 3}, type);
    const auto y = m.run(poprand::shapedDropout(m.graph, &m.seed, 0, x,
                                                m.variable({8, 16, 1, 1}, type),
                                                0.5, 2, m.prog));
    const auto kept = keptOf(y);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      ASSERT_EQ(kept[i], kept[i / 9 * 9]);
      ASSERT_EQ(y[i], kept[i] ? 2.0 * static_cast<double>(i + 1) : 0);
    }
    const auto numKept = std::count(kept.begin(), kept.end(), true) / 9;
    EXPECT_NEAR(static_cast<double>(numKept), 64, 3 * std::sqrt(32));
  }
}

TEST(Dropout, MisuseIsRefused) {
  RandomModel m;
  Graph &g = m.graph;
  const Tensor x = m.variable({4}), y = m.variable({5});
  const Tensor ints = m.variable({4}, INT);
  const Tensor *seed = &m.seed;
  EXPECT_THROW(poprand::dropout(g, seed, 0, x, y, 0.5, 2, m.prog),
               poplibs_error);
  EXPECT_THROW(poprand::dropout(g, seed, 0, ints, ints, 0.5, 2, m.prog),
               poplibs_error);
  for (const double keep : {-0.1, 1.1}) {
    EXPECT_THROW(poprand::dropout(g, seed, 0, x, x, keep, 2, m.prog),
                 poplibs_error);
    EXPECT_THROW(poprand::shapedDropout(g, seed, 0, x, x, keep, 2, m.prog),
                 poplibs_error);
  }
  EXPECT_THROW(poprand::shapedDropout(g, seed, 0, x, y, 0.5, 2, m.prog),
               poplibs_error);
}
