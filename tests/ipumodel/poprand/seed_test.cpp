#include "random_model.hpp"

#include <poplar/RandomSeed.hpp>

#include <cstdlib>
#include <gmock/gmock.h>
#include <hwy/targets.h>

using namespace poplar;
using namespace poprandtest;
using poputil::poplibs_error;
using testing::ElementsAre;

namespace {

// A tensor of every distribution, long enough for several tasks.
std::vector<std::vector<double>> drawAll(RandomModel &m,
                                         const Tensor &reference) {
  for (const Type &type : {FLOAT, HALF}) {
    m.read(
        poprand::uniform(m.graph, &m.seed, 1, reference, type, -1, 2, m.prog));
    m.read(poprand::logUniform(m.graph, &m.seed, 2, reference, type, 1, 50,
                               m.prog));
    m.read(poprand::normal(m.graph, &m.seed, 3, reference, type, 0, 1, m.prog));
    m.read(poprand::truncatedNormal(m.graph, &m.seed, 4, reference, type, 0, 1,
                                    2, m.prog));
    m.read(
        poprand::bernoulli(m.graph, &m.seed, 5, reference, type, 0.5, m.prog));
    m.read(poprand::dropout(m.graph, &m.seed, 6,
                            m.counting(reference.shape(), type), reference, 0.5,
                            1.0 / 3, m.prog));
  }
  m.read(
      poprand::uniform(m.graph, &m.seed, 7, reference, INT, -70, 2e9, m.prog));
  return m.run();
}

const std::vector<std::size_t> kShape{7, 83, 61};

std::vector<double> draw(RandomModel &m, const Tensor &seed,
                         unsigned modifier) {
  return m.run(poprand::uniform(m.graph, &seed, modifier, m.variable({100}),
                                FLOAT, 0, 1, m.prog));
}

} // namespace

TEST(Seeds, GiveTheSameBitsOnAnyNumberOfThreads) {
  std::vector<std::vector<std::vector<double>>> results;
  for (const char *threads : {"1", "2", "4"}) {
    setenv("IPUMODEL_THREADS", threads, 1);
    RandomModel m;
    results.push_back(drawAll(m, m.variable(kShape)));
    unsetenv("IPUMODEL_THREADS");
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Seeds, GiveTheSameBitsForAnyMappingAndLayout) {
  RandomModel m, single(1), shuffled;
  const auto linear = drawAll(m, m.variable(kShape));
  EXPECT_EQ(linear, drawAll(single, single.variable(kShape)));
  const Tensor stored = shuffled.variable({kShape[2], kShape[0], kShape[1]})
                            .dimShuffle({1, 2, 0});
  EXPECT_EQ(linear, drawAll(shuffled, stored));
}

TEST(Seeds, GiveTheSameBitsOnEveryInstructionSet) {
  RandomModel all;
  const auto expected = drawAll(all, all.variable(kShape));
  const std::int64_t supported = hwy::SupportedTargets();
  for (unsigned bit = 0; bit < 63; ++bit) {
    const std::int64_t target = std::int64_t(1) << bit;
    if (!(supported & target))
      continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    RandomModel m;
    EXPECT_EQ(expected, drawAll(m, m.variable(kShape))) << target;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Seeds, AllTheirPartsMatter) {
  RandomModel m, first, second, modified, same;
  const auto x = draw(m, m.makeSeed(5, 6), 7);
  EXPECT_NE(x, draw(first, first.makeSeed(4, 6), 7));
  EXPECT_NE(x, draw(second, second.makeSeed(5, 7), 7));
  EXPECT_NE(x, draw(modified, modified.makeSeed(5, 6), 8));
  EXPECT_EQ(x, draw(same, same.makeSeed(5, 6), 7));
}

TEST(Seeds, MustBeTwoUnsignedInts) {
  RandomModel m;
  const Tensor like = m.variable({4});
  for (const Tensor &seed :
       {m.variable({3}, UNSIGNED_INT), m.variable({1, 2}, UNSIGNED_INT),
        m.variable({2}, INT)}) {
    EXPECT_THROW(poprand::uniform(m.graph, &seed, 0, like, FLOAT, 0, 1, m.prog),
                 poplibs_error);
    EXPECT_THROW(poprand::dropout(m.graph, &seed, 0, like, like, 1, 1, m.prog),
                 poplibs_error);
    EXPECT_THROW(poprand::setSeed(m.graph, seed, 0, m.prog), poplibs_error);
  }
}

TEST(Generators, ContinueFromOneOperationToTheNext) {
  RandomModel m;
  const Tensor like = m.variable({100});
  poprand::setSeed(m.graph, m.seed, 0, m.prog);
  const Tensor state = getHwSeeds(m.graph, m.prog, "save");
  const auto draw = [&](const Tensor *seed) {
    m.read(poprand::normal(m.graph, seed, 0, like, FLOAT, 0, 1, m.prog));
  };
  draw(nullptr);
  draw(nullptr);
  setHwSeeds(m.graph, state, m.prog, "restore");
  draw(nullptr);
  draw(&m.seed);
  draw(nullptr);
  const auto x = m.run();
  EXPECT_NE(x[0], x[1]);
  EXPECT_EQ(x[0], x[2]);
  EXPECT_EQ(x[1], x[4]) << "a seeded operation disturbed the generator";
}

TEST(Generators, OfAllTilesAreSeededDifferently) {
  RandomModel m(2);
  poprand::setSeed(m.graph, m.seed, 1, m.prog);
  std::vector<double> words =
      m.run(getHwSeeds(m.graph, m.prog, "seeds").flatten());
  std::sort(words.begin(), words.end());
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end());
}

// The known answer published by the authors of the generator for a key and a
// counter of zeros.
constexpr unsigned kPhiloxOfZeros[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                       0x9b00dbd8};

TEST(Generators, SeedsArePhiloxBlocks) {
  RandomModel m;
  const Tensor zeros = m.makeSeed(0, 0);
  poprand::setSeed(m.graph, zeros, 0, m.prog);
  const auto words = m.run(getHwSeeds(m.graph, m.prog, "seeds")[0][0]);
  EXPECT_THAT(words, testing::ElementsAreArray(kPhiloxOfZeros));
}

TEST(Generators, NumbersArePhiloxWords) {
  RandomModel m;
  const auto x = m.run(poprand::uniform(m.graph, nullptr, 0, m.variable({64}),
                                        INT, -0x1p31, 0x1p31 - 1, m.prog));
  std::vector<unsigned> words;
  for (const std::size_t i : {0, 16, 32, 48})
    words.push_back(static_cast<unsigned>(x[i] + 0x1p31));
  EXPECT_THAT(words, testing::ElementsAreArray(kPhiloxOfZeros));
}
