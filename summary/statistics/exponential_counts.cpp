#include "summary/statistics/finite_elements.hpp"
#include "summary/statistics/kernels.hpp"
#include "summary/values/histogram.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace popscope::summary {
namespace {

// Right edges of all buckets, as TensorFlow computes them.
std::vector<double> makeLimits() {
  std::vector<double> positive;
  for (double v = 1.0e-12; v < 1.0e20; v *= 1.1)
    positive.push_back(v);
  positive.push_back(std::numeric_limits<double>::max());
  std::vector<double> limits;
  for (auto v = positive.rbegin(); v != positive.rend(); ++v)
    limits.push_back(-*v);
  limits.push_back(0.0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

const std::vector<double> &limits() {
  static const std::vector<double> values = makeLimits();
  return values;
}

std::size_t bucketOf(double value) {
  return static_cast<std::size_t>(
      std::upper_bound(limits().begin(), limits().end(), value) -
      limits().begin());
}

float fromBits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::uint32_t bitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The smallest float that is not below `value`. Comparing a float with that is
// the same as comparing it with `value`.
float floatAtLeast(double value) {
  const auto rounded = static_cast<float>(value);
  return double(rounded) < value
             ? std::nextafter(rounded, std::numeric_limits<float>::infinity())
             : rounded;
}

// Finds a float's bucket without a search. Sign, exponent and four bits of the
// mantissa select a cell of floats that differ by less than a sixteenth;
// buckets differ by a tenth, so at most one limit falls into a cell and one
// comparison settles on which side of it a float lies.
class BucketTable {
public:
  BucketTable() {
    for (std::uint32_t key = 0; key < kCells; ++key) {
      const std::uint32_t first = key << kDroppedBits;
      const std::uint32_t last = first | ((1u << kDroppedBits) - 1);
      if (!std::isfinite(fromBits(last)))
        continue; // no such floats are looked up
      const float low = std::min(fromBits(first), fromBits(last));
      const float high = std::max(fromBits(first), fromBits(last));
      const std::size_t lowBucket = bucketOf(double(low));
      const std::size_t highBucket = bucketOf(double(high));
      assert(highBucket - lowBucket <= 1 && "two limits in one cell");
      cells_[key].bucket = static_cast<std::uint32_t>(lowBucket);
      cells_[key].next = highBucket == lowBucket
                             ? std::numeric_limits<float>::infinity()
                             : floatAtLeast(limits()[lowBucket]);
    }
  }

  // `value` is finite.
  std::size_t operator()(float value) const {
    const Cell &cell = cells_[bitsOf(value) >> kDroppedBits];
    return cell.bucket + (value >= cell.next ? 1 : 0);
  }

private:
  static constexpr unsigned kDroppedBits = 19;
  static constexpr std::uint32_t kCells = 1u << (32 - kDroppedBits);

  struct Cell {
    float next; // where the next bucket begins, if it does in this cell
    std::uint32_t bucket;
  };
  std::array<Cell, kCells> cells_{};
};

const BucketTable &bucketTable() {
  static const BucketTable table;
  return table;
}

} // namespace

ExponentialCounts::ExponentialCounts() : counts_(limits().size()) {}

void ExponentialCounts::add(Span<const float> values) {
  const BucketTable &bucketOfFloat = bucketTable();
  alignas(64) float finite[kernels::kBlock];
  for (std::size_t i = 0; i < values.size();) {
    auto block = values.from(i).first(
        kernels::blockLength(values.data(), values.size(), i));
    i += block.size();
    auto range = kernels::range(block.data(), block.size());
    if (!range.allFinite) {
      const NonFinite others = copyFinite(block, finite);
      nan_ += others.nan;
      posInf_ += others.posInf;
      negInf_ += others.negInf;
      block = {finite, others.copied};
      range = kernels::range(block.data(), block.size());
    }
    min_ = std::min(min_, range.min);
    max_ = std::max(max_, range.max);
    for (const float value : block)
      ++counts_[bucketOfFloat(value)];
  }
}

void ExponentialCounts::merge(const ExponentialCounts &other) {
  for (std::size_t b = 0; b < counts_.size(); ++b)
    counts_[b] += other.counts_[b];
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  nan_ += other.nan_;
  posInf_ += other.posInf_;
  negInf_ += other.negInf_;
}

Histogram ExponentialCounts::histogram() const {
  Histogram histogram;
  histogram.nan = nan_;
  histogram.posInf = posInf_;
  histogram.negInf = negInf_;
  auto &buckets = histogram.buckets;
  for (std::size_t b = 1; b < limits().size(); ++b) {
    const std::uint64_t count = counts_[b];
    const double left = limits()[b - 1], right = limits()[b];
    if (count == 0 && buckets.empty())
      continue;
    if (count == 0 && buckets.back().count == 0)
      buckets.back().right = right;
    else
      buckets.push_back({left, right, double(count)});
  }
  if (!buckets.empty() && buckets.back().count == 0)
    buckets.pop_back();
  if (!buckets.empty()) {
    buckets.front().left = double(min_);
    buckets.back().right = double(max_);
  }
  return histogram;
}

} // namespace popscope::summary
