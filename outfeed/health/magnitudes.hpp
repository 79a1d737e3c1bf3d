// How large the elements of a tensor are, over any number of histograms.
#pragma once

#include "summary/values/histogram.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace popscope::outfeed {

// Its size does not grow with the histograms: edges are kept to a quarter of an
// octave, which is what the buckets of a tap have, and the largest magnitude
// exactly.
class Magnitudes {
public:
  // One that histogramOf made, as it is or read back.
  void add(const summary::Histogram &histogram);

  struct Range {
    double begin, end; // begin <= magnitude < end, and <= largest()
    std::uint64_t count;
  };
  // Calls `visit` with every range of elements that are not zero.
  template <class Visit> void forEach(Visit visit) const {
    for (const auto &[edges, count] : counts_)
      visit(Range{edges.first, edges.second, count});
  }

  std::uint64_t zeros() const { return zeros_; }
  std::uint64_t count() const { return count_; } // with zeros
  double largest() const { return largest_; }
  bool empty() const { return count_ == 0; }

private:
  std::map<std::pair<double, double>, std::uint64_t> counts_;
  std::uint64_t zeros_ = 0;
  std::uint64_t count_ = 0;
  double largest_ = 0;
};

} // namespace popscope::outfeed
