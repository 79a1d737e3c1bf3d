// What a writer could not write, and why.
#pragma once

#include "summary/types.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace popscope::summary {

struct WriteReport {
  std::string what;  // the file or directory, as the user knows it
  std::string error; // the first, in words; empty if nothing went wrong
  std::uint64_t lostRecords = 0;
  std::uint64_t lostBytes = 0;     // of those, as far as they were encoded
  std::optional<Step> firstLost{}; // absent if what was lost has no step

  bool isWhole() const { return error.empty() && lostRecords == 0; }
};

// Given to a writer, to be told of its losses so far. May be called on any
// thread that uses the writer.
using WriteListener = std::function<void(const WriteReport &)>;

} // namespace popscope::summary
