#include "popops/slices/slice_plan.hpp"

#include "popops/slices/slice_kernel.hpp"

#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace popops {

using namespace ipumodel;

SlicePlan::SlicePlan() : internal(std::make_unique<SlicePlanInternal>()) {}
SlicePlan::~SlicePlan() = default;
SlicePlan::SlicePlan(const SlicePlan &other)
    : internal(std::make_unique<SlicePlanInternal>(*other.internal)) {}
SlicePlan &SlicePlan::operator=(const SlicePlan &other) {
  internal = std::make_unique<SlicePlanInternal>(*other.internal);
  return *this;
}
// NOLINTBEGIN(performance-noexcept-move-constructor): declared as by PopLibs
SlicePlan::SlicePlan(SlicePlan &&other) = default;
SlicePlan &SlicePlan::operator=(SlicePlan &&other) = default;
// NOLINTEND(performance-noexcept-move-constructor)
SlicePlan::SlicePlan(std::unique_ptr<SlicePlanInternal> internal)
    : internal(std::move(internal)) {}

std::ostream &operator<<(std::ostream &o, const SlicePlan &p) {
  if (!isPlanned(p))
    return o << "SlicePlan: none\n";
  const SlicePlanInternal::Problem &problem = *p.internal->problem;
  o << "SlicePlan: " << problem.entries << " entries of " << problem.rowSize
    << " " << problem.type;
  if (problem.groupSize != 1)
    o << " in each of " << problem.groupSize << " groups";
  o << ", lookups:";
  for (const std::size_t n : problem.lookups)
    o << " " << n;
  return o << "\n";
}

bool operator<(const SlicePlan &a, const SlicePlan &b) noexcept {
  return a.internal->problem < b.internal->problem;
}

bool operator==(const SlicePlan &a, const SlicePlan &b) noexcept {
  return a.internal->problem == b.internal->problem;
}

bool operator!=(const SlicePlan &a, const SlicePlan &b) noexcept {
  return !(a == b);
}

} // namespace popops

namespace ipumodel {

void checkPlan(const char *function, const popops::SlicePlan &plan,
               std::size_t groupSize, const std::vector<std::size_t> &shape,
               const std::vector<std::size_t> &dims,
               const std::vector<std::size_t> &sizes) {
  if (!isPlanned(plan))
    return;
  const std::string name = std::string(function) + ": ";
  if (shape.size() != 2 || dims != std::vector<std::size_t>{0} ||
      sizes != std::vector<std::size_t>{1})
    throw poputil::poplibs_error(name +
                                 "a plan is for single rows of a matrix");
  const std::size_t planned = plan.getImpl().problem->groupSize;
  if (planned != groupSize)
    throw poputil::poplibs_error(name + "the plan is for " +
                                 std::to_string(planned) + " groups, not " +
                                 std::to_string(groupSize));
}

void mapRows(poplar::Graph &graph, const poplar::Tensor &t,
             std::size_t rowSize) {
  const auto grain = static_cast<unsigned>(std::max<std::size_t>(1, rowSize));
  poputil::mapTensorLinearly(graph, t, grain, grain);
}

} // namespace ipumodel

namespace popops {
namespace embedding {

SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType,
               const std::size_t numEntries, const std::size_t outputSize,
               const std::vector<std::size_t> &numLookups,
               const poplar::OptionFlags &options) {
  return plan(graph, dataType, 1, numEntries, outputSize, numLookups, options);
}

SlicePlan plan(const poplar::Graph &, const poplar::Type &dataType,
               const std::size_t groupSize, const std::size_t numEntries,
               const std::size_t outputSize,
               const std::vector<std::size_t> &numLookups,
               const poplar::OptionFlags &options) {
  parseSliceOptions(options);
  if (groupSize == 0)
    throw poputil::poplibs_error("embedding::plan: there must be a group");
  auto internal = std::make_unique<SlicePlanInternal>();
  internal->problem = SlicePlanInternal::Problem{
      dataType.toString(), groupSize, numEntries, outputSize, numLookups};
  return SlicePlan(std::move(internal));
}

std::vector<SlicePlan>
planMultiple(const std::vector<SlicePlanningParameters> &spds) {
  std::vector<SlicePlan> plans;
  plans.reserve(spds.size());
  for (const SlicePlanningParameters &p : spds)
    plans.push_back(plan(p.graph, p.dataType, p.groupSize, p.numEntries,
                         p.outputSize, p.numLookups, p.optionFlags));
  return plans;
}

} // namespace embedding
} // namespace popops
