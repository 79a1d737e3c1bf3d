// How many elements of a tensor have which exponent.
#pragma once

#include "outfeed/health/format_health.hpp"
#include "summary/values/histogram.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace popscope::host {

struct ExponentHistogram {
  // counts[i] elements x have 2^(top - i) <= |x| < 2^(top - i + 1).
  int top = 0;
  std::vector<std::uint64_t> counts;
  std::uint64_t below = 0; // smaller than all of these, but not zero
  std::uint64_t zeros = 0;
  // How the elements would fare in each of kNumberFormats, unscaled.
  std::array<outfeed::FormatHealth, outfeed::kNumberFormats.size()> inFormats;
};

// Of a histogram that a tap has recorded: no bucket has elements of two octaves
// but the one of the smallest. Nothing of one whose edges are not finite, or
// whose counts are none: no tap has made it.
std::optional<ExponentHistogram>
exponentsOf(const summary::Histogram &histogram);

} // namespace popscope::host
