#include "outfeed/program/fault_program.hpp"

#include "text/nearest_names.hpp"

#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace popscope::outfeed {

namespace {

// A fault in what the program does not use would spoil nothing.
void checkIsUsed(const Injection &injection, const graph::TapPoint &point) {
  const std::size_t used = point.tensor.numElements();
  if (point.partOf.empty() || injection.fault.index.value_or(0) < used)
    return;
  const std::size_t all =
      std::accumulate(point.partOf.begin(), point.partOf.end(), std::size_t(1),
                      std::multiplies<std::size_t>());
  throw std::invalid_argument(
      "[outfeed] fault '" + injection.text + "': index is at most " +
      std::to_string(used - 1) + ", since the program uses " +
      std::to_string(used) + " of the " + std::to_string(all) +
      " elements of " + point.name);
}

} // namespace

void FaultProgram::inject(Injection injection) {
  faults_.push_back({std::move(injection), false});
}

bool FaultProgram::add(poplar::Graph &graph, poplar::program::Sequence &prog,
                       const graph::TapPoint &point, unsigned perUpdate,
                       const std::function<poplar::Tensor()> &execution) {
  bool isSpoilt = false;
  for (Planned &planned : faults_) {
    const Injection &injection = planned.injection;
    if (planned.isAdded || injection.tensor != point.name ||
        (injection.moment && *injection.moment != point.moment))
      continue;
    planned.isAdded = isSpoilt = true;
    if (injection.microBatch >= perUpdate)
      throw std::invalid_argument(
          "[outfeed] fault '" + injection.text + "': an update has " +
          std::to_string(perUpdate) + " of this tensor, counted from 0");
    checkIsUsed(injection, point);
    graph::addFault(graph, point.tensor, injection.fault, execution(),
                    injection.update.value() * perUpdate + injection.microBatch,
                    prog, {"popscope/" + point.name});
  }
  return isSpoilt;
}

void FaultProgram::require(const std::vector<std::string> &visited) const {
  for (const Planned &planned : faults_)
    if (!planned.isAdded)
      throw std::invalid_argument(
          "[outfeed] fault '" + planned.injection.text + "': no tensor '" +
          planned.injection.tensor + "'; the nearest are " +
          text::nearestNames(planned.injection.tensor, visited));
}

} // namespace popscope::outfeed
