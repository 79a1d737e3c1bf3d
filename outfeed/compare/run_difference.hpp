// Two runs compared by their sample logs.
#pragma once

#include "outfeed/compare/sample_difference.hpp"
#include "outfeed/compare/sample_log_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace popscope::outfeed {

struct DifferenceAt {
  Update update{0};
  SampleDifference difference;
};

// A tensor of both runs.
struct TensorDifference {
  LoggedTensor a, b;
  std::uint64_t compared = 0;     // updates
  std::uint64_t proven = 0;       // of these: bit-identical
  std::uint64_t byStatistics = 0; // likewise: without a hash
  std::uint64_t differing = 0;
  std::uint64_t onlyInA = 0, onlyInB = 0; // updates that one log lacks
  std::optional<DifferenceAt> first;      // beyond the tolerance
  std::optional<DifferenceAt> largest;    // at all
  // The largest relative L2 of each group of RunDifference::updatesPerCell
  // updates: kNotCompared, 0 if all are the same, or more.
  std::vector<float> cells;
};

constexpr float kNotCompared = -1;

struct ComparedLog {
  std::uint64_t updates = 0; // in the log
  std::uint64_t samples = 0;
  std::uint64_t onlyHere = 0; // updates of which the other log has nothing
  std::optional<Update> firstOnlyHere, lastOnlyHere;
  std::vector<std::string> tensorsOnlyHere; // tags, in program order
  std::string flaw;                         // see SampleLogReader
};

struct RunDifference {
  ComparedLog a, b;
  std::vector<TensorDifference> tensors;  // in the order of the program
  std::vector<std::string> notComparable; // why, a line per tensor
  std::uint64_t commonUpdates = 0;
  Update firstUpdate{0}, lastUpdate{0}; // of those
  std::uint32_t updatesPerCell = 1;     // cells begin at firstUpdate
  std::optional<std::size_t> first;     // tensor of the first difference

  std::uint64_t comparisons() const;
  std::uint64_t differing() const; // comparisons
  // Every comparison was one of bits, and found none that differ.
  bool isProvenSame() const;
};

// A tensor differs at an update if its bits or statistics do, and, with a
// tolerance above 0, if its relative L2 is greater than that. The first
// difference is that of the lowest update, and there of the tensor that the
// program of A completes first. Holds one update of each log and at most
// kMostCells cells per tensor.
constexpr std::size_t kMostCells = 512;
RunDifference compareRuns(SampleLogReader &a, SampleLogReader &b,
                          double tolerance = 0);

} // namespace popscope::outfeed
