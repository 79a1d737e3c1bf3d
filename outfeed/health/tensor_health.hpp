// Whether the elements of a tensor are finite.
#pragma once

#include "summary/statistics/tensor_stats.hpp"

#include <cstdint>
#include <string>

namespace popscope::outfeed {

// Of one execution: what the smallest payload tells.
struct TensorHealth {
  std::uint64_t count = 0; // all elements
  std::uint64_t nan = 0;
  std::uint64_t posInf = 0;
  std::uint64_t negInf = 0;
  double absMax = 0; // of the finite ones
  std::uint64_t firstBad = summary::TensorStats::kNoIndex;

  std::uint64_t inf() const { return posInf + negInf; }
  std::uint64_t bad() const { return nan + inf(); }
};

TensorHealth healthOf(const summary::TensorStats &stats);

// "12 NaN and 199,213 +inf"; empty if all elements are finite.
std::string badElements(const TensorHealth &health);
// "199,213 of 495,616 are +inf".
std::string badShare(const TensorHealth &health);

} // namespace popscope::outfeed
