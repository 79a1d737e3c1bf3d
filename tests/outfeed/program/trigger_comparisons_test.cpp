// Conditions of every comparison and statistic, judged on the device as the
// host would.
#include "outfeed/sinks/statistic.hpp"
#include "tests/outfeed/fed_program.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace popscope::outfeed {
namespace {

using tests::constant;
using tests::FedOptions;
using tests::FedProgram;
using tests::Heard;

// Values of many kinds: random, constant, with zeros, infinities and NaN.
std::vector<float> kindsOf(unsigned execution) {
  std::mt19937 random(execution);
  std::normal_distribution<float> normal(float(execution % 3) - 1, 2);
  std::vector<float> values(64);
  for (float &value : values)
    value = normal(random);
  const float infinity = std::numeric_limits<float>::infinity();
  const unsigned kind = execution % 12;
  for (unsigned i = 0; i < 8; ++i) {
    if (kind == 1)
      values[i] = 0;
    if (kind == 2)
      values[i] = infinity;
    if (kind == 3)
      values[i] = -infinity;
    if (kind == 4)
      values[i] = std::nanf("");
    if (kind == 5)
      values[i] = 1e-40f;
    if (kind == 6)
      values[i] = -std::numeric_limits<float>::max();
  }
  if (kind == 7)
    return constant(std::nanf(""));
  if (kind == 8)
    return constant(0);
  if (kind == 9)
    return constant(-3);
  if (kind == 10)
    return constant(infinity);
  return values;
}

TEST(TriggerComparisons, OfEachStatisticAreDecidedAsTheHostWould) {
  constexpr unsigned kExecutions = 24;
  std::vector<TensorSample> samples;
  for (unsigned e = 0; e < kExecutions; ++e)
    samples.push_back(sampleOfFloats(kindsOf(e)));

  FedOptions options;
  options.names.clear();
  std::vector<std::string> rules;
  std::map<std::string, std::vector<std::uint32_t>> expected;
  for (unsigned s = 0; s < kStatistics; ++s) {
    const auto statistic = Statistic(s);
    // Sums on the device have other last bits: their limits are between values.
    const bool isExact = statistic < Statistic::l2Norm;
    std::vector<float> known;
    for (const TensorSample &sample : samples)
      if (const auto value = valueOf(statistic, sample))
        if (std::isfinite(*value))
          known.push_back(float(*value));
    if (statistic == Statistic::fingerprint) // only the device has a hash
      continue;
    std::sort(known.begin(), known.end());
    const std::size_t middle = known.size() / 2;
    std::size_t other = middle;
    while (other + 1 < known.size() && known[other] == known[middle])
      ++other;
    const float limit =
        isExact ? known[middle] : (known[middle] + known[other]) / 2;
    for (const Comparison comparison :
         {Comparison::greater, Comparison::greaterOrEqual, Comparison::less,
          Comparison::lessOrEqual, Comparison::equal, Comparison::notEqual}) {
      const std::string name =
          std::string(nameOf(statistic)) + std::to_string(unsigned(comparison));
      Condition condition;
      condition.terms = {{statistic, comparison, false, true}};
      condition.limits = {limit};
      options.names.push_back(name);
      rules.push_back("name:" + name + " when " + condition.text() +
                      " -> alarm");
      for (unsigned e = 0; e < kExecutions; ++e) {
        const auto value = valueOf(statistic, samples[e]);
        if (value && compares(float(*value), comparison, limit))
          expected[name].push_back(e);
      }
    }
  }
  FedProgram program(
      rules, [](unsigned, unsigned e) { return kindsOf(e); }, options);
  program.run(kExecutions);
  const Heard heard = program.close();
  std::size_t sent = 0;
  for (const std::string &name : options.names) {
    EXPECT_EQ(heard.updates(name), expected[name]) << name;
    sent += expected[name].size();
  }
  EXPECT_EQ(heard.report.frames, sent);
  EXPECT_GT(sent, 500u);
}

} // namespace
} // namespace popscope::outfeed
