#include "outfeed/program/dump_program.hpp"

#include "graph/taps/first_bad.hpp"

#include <algorithm>
#include <utility>

namespace popscope::outfeed {

namespace {

using graph::NamedTensor;
using poplar::program::Sequence;

const NamedTensor *find(const std::vector<NamedTensor> &tensors,
                        const std::string &name) {
  const auto found = std::find_if(
      tensors.begin(), tensors.end(),
      [&](const NamedTensor &other) { return other.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

} // namespace

DumpProgram::DumpProgram(std::vector<TensorFilter> infinitiesIntended)
    : infinitiesIntended_(std::move(infinitiesIntended)) {}

void DumpProgram::remember(const graph::TapPoint &point) {
  const auto isReplaced = [&](const NamedTensor &other) {
    return other.name == point.name || other.tensor == point.tensor;
  };
  visited_.erase(std::remove_if(visited_.begin(), visited_.end(), isReplaced),
                 visited_.end());
  visited_.push_back({point.name, point.tensor});
}

std::vector<NamedTensor>
DumpProgram::inputsOf(const graph::TapPoint &point) const {
  std::vector<NamedTensor> inputs;
  for (const std::string &name : point.derivation.inputs) {
    const NamedTensor *input = find(visited_, name);
    if (!input)
      input = find(point.weights, name);
    if (input && !(input->tensor == point.tensor) && !find(inputs, name))
      inputs.push_back(*input);
  }
  return inputs;
}

void DumpProgram::add(poplar::Graph &graph, Sequence &prog,
                      const graph::TapPoint &point, const Tap &tap,
                      const graph::PartialStats &stats,
                      const NewSource &newSource) {
  std::vector<NamedTensor> left = inputsOf(point);
  left.insert(left.begin(), {point.name, point.tensor});
  Sequence transfers;
  while (!left.empty()) {
    const poplar::Type type = left.front().tensor.elementType();
    const auto rest = std::stable_partition(
        left.begin(), left.end(), [&](const NamedTensor &other) {
          return other.tensor.elementType() == type;
        });
    TapSource &source = newSource();
    source.full = tap.id;
    std::vector<poplar::Tensor> parts;
    std::size_t byte = 0;
    for (auto part = left.begin(); part != rest; ++part) {
      TensorTraits traits = traitsOf(
          {part->name, point.kind, point.moment, point.stage, part->tensor});
      source.dump.push_back({traits, byte});
      byte += traits.bytes();
      parts.push_back(part->tensor.flatten());
    }
    addTransfer(graph, source, poplar::concat(parts), transfers,
                {"popscope/" + point.name + "/dump"});
    left.erase(left.begin(), rest);
  }
  const bool infinitiesCount = std::none_of(
      infinitiesIntended_.begin(), infinitiesIntended_.end(),
      [&](const TensorFilter &filter) { return filter.matches(tap.tensor); });
  graph::addAtFirstBad(graph, stats,
                       infinitiesCount ? graph::BadElements::nanAndInfinities
                                       : graph::BadElements::nan,
                       transfers, prog, {"popscope/" + point.name});
}

} // namespace popscope::outfeed
