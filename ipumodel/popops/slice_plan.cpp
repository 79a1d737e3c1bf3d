#include "popops/slice_plan.hpp"

#include "popops/slice_kernel.hpp"

namespace popops {

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
  const auto &[type, entries, size, lookups] = *p.internal->problem;
  o << "SlicePlan: " << entries << " entries of " << size << " " << type
    << ", lookups:";
  for (const std::size_t n : lookups)
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

namespace embedding {

SlicePlan plan(const poplar::Graph &, const poplar::Type &dataType,
               const std::size_t numEntries, const std::size_t outputSize,
               const std::vector<std::size_t> &numLookups,
               const poplar::OptionFlags &options) {
  parseSliceOptions(options);
  auto internal = std::make_unique<SlicePlanInternal>();
  internal->problem.emplace(dataType.toString(), numEntries, outputSize,
                            numLookups);
  return SlicePlan(std::move(internal));
}

} // namespace embedding

} // namespace popops
