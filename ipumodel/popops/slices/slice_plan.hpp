// The problem a SlicePlan was made for.
#pragma once

#include <popops/DynamicSlice.hpp>

#include <optional>
#include <string>
#include <tuple>

namespace popops {

// Slices are copied the same way for every problem, so a plan only identifies
// the problem: groups of tables of `entries` rows. It lays out tables in whole
// rows.
class SlicePlanInternal {
public:
  struct Problem {
    std::string type;
    std::size_t groupSize, entries, rowSize;
    std::vector<std::size_t> lookups;

    auto asTuple() const {
      return std::tie(type, groupSize, entries, rowSize, lookups);
    }
    bool operator<(const Problem &other) const {
      return asTuple() < other.asTuple();
    }
    bool operator==(const Problem &other) const {
      return asTuple() == other.asTuple();
    }
  };
  std::optional<Problem> problem;
};

} // namespace popops

namespace ipumodel {

inline bool isPlanned(const popops::SlicePlan &plan) {
  return plan.getImpl().problem.has_value();
}

// Throws unless there is no plan, or one for slices of one row of groupSize
// matrices. `shape` is that of a matrix.
void checkPlan(const char *function, const popops::SlicePlan &plan,
               std::size_t groupSize, const std::vector<std::size_t> &shape,
               const std::vector<std::size_t> &dims,
               const std::vector<std::size_t> &sizes);

// Maps the variable `t` to tiles, `rowSize` elements at least on each.
void mapRows(poplar::Graph &graph, const poplar::Tensor &t,
             std::size_t rowSize);

} // namespace ipumodel
