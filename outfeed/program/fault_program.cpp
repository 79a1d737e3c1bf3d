#include "outfeed/program/fault_program.hpp"

#include "text/nearest_names.hpp"

#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace popscope::outfeed {

namespace {

[[noreturn]] void fail(const Injection &injection, const std::string &problem) {
  throw std::invalid_argument("[outfeed] fault '" + injection.text +
                              "': " + problem);
}

// A fault in what the program does not use would spoil nothing.
void checkIsUsed(const Injection &injection, const graph::TapPoint &point) {
  const std::size_t used = point.tensor.numElements();
  if (point.partOf.empty() || injection.fault.index.value_or(0) < used)
    return;
  const std::size_t all =
      std::accumulate(point.partOf.begin(), point.partOf.end(), std::size_t(1),
                      std::multiplies<std::size_t>());
  fail(injection, "index is at most " + std::to_string(used - 1) +
                      ", since the program uses " + std::to_string(used) +
                      " of the " + std::to_string(all) + " elements of " +
                      point.name);
}

// What a graph says of a fault, without the room in front.
std::string plain(const std::string &message) {
  const std::size_t end = message.find("] ");
  return end == std::string::npos ? message : message.substr(end + 2);
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
      fail(injection, "an update has " + std::to_string(perUpdate) +
                          " of this tensor, counted from 0");
    checkIsUsed(injection, point);
    try {
      graph::addFault(graph, point.tensor, injection.fault, execution(),
                      injection.update.value() * perUpdate +
                          injection.microBatch,
                      prog, {"popscope/" + point.name});
    } catch (const std::invalid_argument &error) {
      fail(injection, plain(error.what()));
    }
  }
  return isSpoilt;
}

void FaultProgram::require(const std::vector<TensorTraits> &visited) const {
  for (const Planned &planned : faults_) {
    if (planned.isAdded)
      continue;
    const Injection &injection = planned.injection;
    std::vector<std::string> names;
    std::string moments; // of this tensor
    for (const TensorTraits &tensor : visited) {
      names.push_back(tensor.name);
      if (tensor.name == injection.tensor)
        moments +=
            (moments.empty() ? "" : ", ") + std::string(nameOf(tensor.moment));
    }
    if (injection.moment && !moments.empty())
      fail(injection, "this tensor is complete at " + moments + ", not at " +
                          nameOf(*injection.moment));
    fail(injection, "no tensor '" + injection.tensor + "'; the nearest are " +
                        text::nearestNames(injection.tensor, names));
  }
}

} // namespace popscope::outfeed
