// Random programs on random views give the same bits whether operations are
// fused or not, on any number of threads, and on contiguous copies of the
// views.
#include "random_program.hpp"
#include "tests/support/scoped_env.hpp"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

using poplibstest::RandomProgram;

namespace {

// The sign of zeros is compared, too.
bool isSame(const std::vector<double> &a, const std::vector<double> &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

struct Seeds {
  unsigned begin, end;
};

// RANDOM_PROGRAMS in the environment is how many there are, or the first and
// the last, as in 609-609. By default and of a number, `share` is that part.
Seeds seeds(unsigned share = 1) {
  const char *const given = std::getenv("RANDOM_PROGRAMS");
  if (!given)
    return {0, 60 / share};
  char *rest = nullptr;
  const auto first = unsigned(std::strtoul(given, &rest, 10));
  if (*rest == '-')
    return {first, unsigned(std::strtoul(rest + 1, nullptr, 10)) + 1};
  return {0, first / share};
}

void expectSameBitsOnCopies(unsigned seed) {
  EXPECT_TRUE(
      isSame(RandomProgram(seed, false).run(), RandomProgram(seed, true).run()))
      << "program " << seed;
}

} // namespace

TEST(RandomProgram, GivesTheSameBitsFusedAndOnAnyNumberOfThreads) {
  const Seeds all = seeds();
  for (unsigned seed = all.begin; seed < all.end; ++seed) {
    const auto run = [&](const char *fusion, const char *threads) {
      const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
      const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
      return RandomProgram(seed, false).run();
    };
    const std::vector<double> apart = run("0", "1");
    for (const char *threads : {"1", "2", "4"})
      EXPECT_TRUE(isSame(run("1", threads), apart))
          << "program " << seed << ", " << threads << " threads";
  }
}

TEST(RandomProgram, GivesTheSameBitsWithoutAnyOnePass) {
  const auto run = [](unsigned seed, const char *fusion) {
    const ScopedEnv env("IPUMODEL_FUSION", fusion);
    return RandomProgram(seed, false).run();
  };
  const char *const settings[] = {
      "-chain", "-vertices", "-branches", "-epilogue",  "-private",
      "-gate",  "-trim",     "-copy",     "-workspace", "-accumulate"};
  const Seeds some = seeds(6);
  for (unsigned seed = some.begin; seed < some.end; ++seed) {
    const std::vector<double> apart = run(seed, "0");
    for (const char *fusion : settings)
      EXPECT_TRUE(isSame(run(seed, fusion), apart))
          << "program " << seed << ", " << fusion;
  }
}

TEST(RandomProgram, GivesTheSameBitsOnCopiesOfItsViews) {
  const Seeds all = seeds();
  for (unsigned seed = all.begin; seed < all.end; ++seed)
    expectSameBitsOnCopies(seed);
}

// In these an operation between a pooling and its gradient changes what the
// gradient reads a view of: a copy has to be made after it.
TEST(RandomProgram, CopiesAViewWhereItIsRead) {
  for (const unsigned seed : {609u, 1152u, 1208u, 1465u})
    expectSameBitsOnCopies(seed);
}
