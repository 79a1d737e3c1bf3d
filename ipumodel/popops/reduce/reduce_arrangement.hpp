// How a reduction passes over memory.
#pragma once

#include "poplar/view/view.hpp"

#include <popops/OperationDef.hpp>

#include <cstddef>
#include <set>
#include <vector>

namespace ipumodel {

// Input elements per task; partial results are combined in order.
constexpr std::size_t kReduceTaskElements = 16384;

// A reduction by loops over memory: a dimension that is several loops, such as
// the groups of all samples, is as many dimensions. Not dimension 0, which may
// be the items of a batch.
struct ByLoops {
  View input;
  Shape kept;                    // the shape of the output
  std::set<std::size_t> reduced; // dimensions of the input
};
ByLoops loopsOf(const View &in, const std::set<std::size_t> &reduced);

// The order in which the input is read, as memory has it: kept dimensions,
// reduced ones, and kept ones inside of these, each maybe none.
struct Arrangement {
  std::vector<unsigned> input;  // dimension order of the input
  std::vector<unsigned> output; // dimension order of the output
  bool columns;                 // kept dimensions are inside
  std::size_t outer;            // elements of the kept dimensions outside
};
Arrangement arrange(const View &in, const std::set<std::size_t> &reduced);

// What a reduction is of a batch, whose items are the outermost in memory.
enum class Over {
  batch, // all items become one of kept elements
  items, // each item has results of its own
  other
};
Over overWhat(const Arrangement &arrangement, const ByLoops &loops);

// The elements of each of `inner` results that a task reduces.
std::size_t reducePartLength(std::size_t inner);

// Reduces a table [n, inner], or a row.
void reduceTable(popops::Operation operation, bool columns, const float *in,
                 std::size_t n, std::size_t inner, float *out);

} // namespace ipumodel
