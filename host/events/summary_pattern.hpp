// The bytes that large summaries of one writer have in common.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace popscope::host::events {

// A writer with thousands of scalars sends the same tags in the same order in
// every step: such summaries differ in their floats only. Comparing all other
// bytes at once is many times faster than walking over the values.
class SummaryPattern {
public:
  // Whether it pays to learn a summary of that size.
  static bool isWorthIt(std::size_t bytes) { return bytes >= 4096; }

  // Begins a pattern: bytes, floats excepted, are added in order.
  void restart() {
    bytes_.clear();
    mask_.clear();
  }
  // A scalar: what stands before its float, and room for the float.
  void addScalar(std::string_view start);

  // Whether the summary consists of the same scalars. False before anything
  // was learnt.
  bool matches(std::string_view summary) const;

private:
  std::string bytes_;
  std::string mask_; // zero where a float stands
};

} // namespace popscope::host::events
