// Random programs on random views give the same bits whether operations are
// fused or not, on any number of threads, and on contiguous copies of the
// views.
#include "random_program.hpp"
#include "tests/support/scoped_env.hpp"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using poplibstest::RandomForm;
using poplibstest::RandomProgram;
using poplibstest::Seen;

namespace {

// The sign of zeros is compared, too.
bool haveSameBits(const std::vector<double> &a, const std::vector<double> &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

testing::AssertionResult isSame(const Seen &a, const Seen &b) {
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!haveSameBits(a[i].second, b[i].second))
      return testing::AssertionFailure() << a[i].first << " differs";
  return testing::AssertionSuccess();
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

RandomForm withFloatSums() {
  RandomForm form;
  form.floatSums = true;
  return form;
}

Seen run(unsigned seed, const char *fusion, const char *threads = "1") {
  const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
  const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
  return RandomProgram(seed, withFloatSums()).run();
}

void expectSameBitsOnCopies(unsigned seed) {
  const ScopedEnv threads("IPUMODEL_THREADS", "1");
  SCOPED_TRACE(seed);
  RandomForm onCopies;
  onCopies.copies = true;
  EXPECT_TRUE(isSame(RandomProgram(seed, RandomForm()).run(),
                     RandomProgram(seed, onCopies).run()));
}

// What the passes say they did.
std::vector<std::string> explained(unsigned seed) {
  SCOPED_TRACE(seed);
  RandomProgram program(seed, withFloatSums());
  const ScopedEnv explain("IPUMODEL_EXPLAIN", "1");
  testing::internal::CaptureStderr();
  const poplar::Engine engine(program.graph, program.program());
  std::istringstream text(testing::internal::GetCapturedStderr());
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  return lines;
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

// A pass, and what else its lines have.
const std::pair<const char *, const char *> kDone[] = {
    {"chain", ""},
    {"vertices", ""},
    {"branches", ""},
    {"epilogue", "(poplin.convolution) also does"},
    {"epilogue", "(popnn.pool) also does"},
    {"private", "is not stored"},
    {"private", "nothing reads it later"},
    {"repeat", ""},
    {"sum", ""},
    {"gate", ""},
    {"gate", "after vertices"},
    {"remake", ""},
    {"trim", ""},
    {"copy", ""},
    {"accumulate", ""},
    {"workspace", ""}};

} // namespace

TEST(RandomProgram, GivesTheSameBitsFused) {
  const Seeds all = seeds();
  for (unsigned seed = all.begin; seed < all.end; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_TRUE(isSame(run(seed, "1"), run(seed, "0")));
  }
}

TEST(RandomProgram, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Seeds some = seeds(2);
  for (unsigned seed = some.begin; seed < some.end; ++seed) {
    SCOPED_TRACE(seed);
    const Seen alone = run(seed, "1");
    for (const char *threads : {"2", "4"})
      EXPECT_TRUE(isSame(run(seed, "1", threads), alone)) << threads;
  }
}

TEST(RandomProgram, GivesTheSameBitsWithoutAnyOnePass) {
  const char *const settings[] = {
      "-chain",    "-vertices", "-columns",   "-branches",  "-repeat",
      "-epilogue", "-private",  "-sum",       "-remake",    "-gate",
      "-trim",     "-copy",     "-workspace", "-accumulate"};
  const Seeds some = seeds(6);
  for (unsigned seed = some.begin; seed < some.end; ++seed) {
    SCOPED_TRACE(seed);
    const Seen apart = run(seed, "0");
    for (const char *fusion : settings)
      EXPECT_TRUE(isSame(run(seed, fusion), apart)) << fusion;
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
  for (const unsigned seed : {1688u, 2268u, 2440u})
    expectSameBitsOnCopies(seed);
}

// Else the tests above would say nothing.
TEST(RandomProgram, LetsEveryPassDoSomethingOften) {
  std::map<std::pair<std::string, std::string>, unsigned> counts;
  for (unsigned seed = 0; seed < 360; ++seed)
    for (const std::string &line : explained(seed))
      for (const auto &[pass, part] : kDone)
        counts[{pass, part}] +=
            has(line, std::string("fusion: ") + pass + ": ") && has(line, part);
  for (const auto &[pass, part] : kDone) {
    const unsigned count = counts[{pass, part}];
    RecordProperty(pass + std::string(part), int(count));
    EXPECT_GE(count, 4u) << pass << ' ' << part;
  }
}
