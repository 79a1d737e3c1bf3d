#include "outfeed/program/fault_program.hpp"

#include "text/nearest_names.hpp"

#include <stdexcept>
#include <utility>

namespace popscope::outfeed {

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
