// How close to the speed of memory are statistics and histograms?
#include "benchmarks/summary_peers.hpp"
#include "benchmarks/support/ratio.hpp"
#include "summary/statistics/tensor_stats.hpp"
#include "summary/values/histogram.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

using namespace popscope::summary;
using benchmarks::Better;
using benchmarks::Suite;

namespace {

std::vector<float> normal(std::size_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> distribution(0, 0.05F);
  std::vector<float> values(count);
  for (float &value : values)
    value = distribution(random);
  return values;
}

volatile double sinkhole; // keeps results from being optimised away

// Reading only: independent sums that the compiler vectorises.
float sumOf(const std::vector<float> &values) {
  constexpr std::size_t kLanes = 64;
  float sums[kLanes] = {};
  for (std::size_t i = 0; i + kLanes <= values.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      sums[lane] += values[i + lane];
  float total = 0;
  for (const float sum : sums)
    total += sum;
  return total;
}

void statistics(const Suite &suite) {
  if (!suite.wants("stats/core"))
    return;
  // Several times the largest cache, so that memory speed is measured.
  const auto values = normal(suite.quick() ? 32'000'000 : 64'000'000);
  const auto seconds = suite.time({[&] {
                                     TensorStats stats;
                                     stats.add(values);
                                     sinkhole = stats.mean;
                                   },
                                   [&] { sinkhole = double(sumOf(values)); }});
  const double bytes = double(values.size()) * sizeof(float);
  suite.report({"stats/core", bytes / seconds[0], bytes / seconds[1],
                "reading the array", Better::higher, 0.7});
}

void uniform(const Suite &suite) {
  const auto values = normal(suite.quick() ? 1'000'000 : 10'000'000);
  for (const auto &[name, job, peer] :
       {std::tuple("stats/histogram-numpy", "histogram-numpy",
                   "numpy.histogram, 30 bins"),
        std::tuple("stats/histogram-tensorflow", "histogram-tensorflow",
                   "tf.summary.histogram")}) {
    if (!suite.wants(name))
      continue;
    const auto found = benchmarks::measureInTurns(
        [&] {
          const auto seconds = suite.time(
              {[&] { sinkhole = uniformHistogram(values).buckets[0].count; }});
          return double(values.size()) / seconds[0];
        },
        [&, job = job] {
          const popscope::tests::TempDir directory;
          return benchmarks::pythonPeer(job, directory.path().string(),
                                        suite.quick());
        });
    if (found)
      suite.report(
          {name, found->ours, found->theirs, peer, Better::higher, 15});
  }
}

// TensorFlow's method: a binary search over the limits for each element.
double bucketsBySearch(const std::vector<double> &limits,
                       const std::vector<float> &values) {
  std::vector<double> counts(limits.size() + 1);
  for (const float value : values)
    counts[std::size_t(
        std::upper_bound(limits.begin(), limits.end(), double(value)) -
        limits.begin())] += 1;
  return *std::max_element(counts.begin(), counts.end());
}

void exponential(const Suite &suite) {
  if (!suite.wants("stats/histogram-exponential"))
    return;
  std::vector<double> limits{0};
  for (double v = 1.0e-12; v < 1.0e20; v *= 1.1) {
    limits.push_back(v);
    limits.push_back(-v);
  }
  std::sort(limits.begin(), limits.end());
  const auto values = normal(suite.quick() ? 1'000'000 : 10'000'000);
  const auto seconds = suite.time(
      {[&] { sinkhole = exponentialHistogram(values).buckets[0].count; },
       [&] { sinkhole = bucketsBySearch(limits, values); }});
  const auto elements = double(values.size());
  suite.report({"stats/histogram-exponential", elements / seconds[0],
                elements / seconds[1], "std::upper_bound", Better::higher, 15});
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  statistics(suite);
  uniform(suite);
  exponential(suite);
}
