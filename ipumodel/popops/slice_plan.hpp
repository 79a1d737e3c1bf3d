// The problem a SlicePlan was made for.
#pragma once

#include <popops/DynamicSlice.hpp>

#include <optional>
#include <string>
#include <tuple>

namespace popops {

// Slices are copied the same way for every problem, so a plan only identifies
// the problem.
class SlicePlanInternal {
public:
  using Problem = std::tuple<std::string, std::size_t, std::size_t,
                             std::vector<std::size_t>>;
  std::optional<Problem> problem; // type, entries, size of one, lookups
};

inline bool isPlanned(const SlicePlan &plan) {
  return plan.getImpl().problem.has_value();
}

} // namespace popops
