#include "outfeed/program/intervention_program.hpp"

#include "graph/taps/intervention.hpp"
#include "text/nearest_names.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace popscope::outfeed {

bool InterventionProgram::add(poplar::Graph &graph,
                              poplar::program::Sequence &prog,
                              const graph::TapPoint &point, TapMask &mask) {
  if (!isWanted() || point.kind == graph::TensorKind::update ||
      !graph::canBeChanged(point.tensor))
    return false;
  const TensorTraits traits = traitsOf(point);
  if (std::none_of(
          filters_.begin(), filters_.end(),
          [&](const TensorFilter &filter) { return filter.matches(traits); }))
    return false;
  const auto known = std::find_if(
      tensors_.begin(), tensors_.end(), [&](const TensorTraits &tensor) {
        return tensor.name == traits.name && tensor.moment == traits.moment;
      });
  const auto place = std::size_t(known - tensors_.begin());
  if (known == tensors_.end()) {
    tensors_.push_back(traits);
    words_.push_back(
        graph::addInterventionWords(graph, {"popscope/" + point.name}));
    mask.addIntervention(place, words_.back());
  }
  graph::addIntervention(graph, point.tensor, words_[place], prog,
                         {"popscope/" + point.name});
  return true;
}

void InterventionProgram::requireMatches(
    const std::vector<TensorTraits> &all) const {
  const auto isAmong = [](const TensorFilter &filter,
                          const std::vector<TensorTraits> &tensors) {
    return std::any_of(
        tensors.begin(), tensors.end(),
        [&](const TensorTraits &tensor) { return filter.matches(tensor); });
  };
  for (const TensorFilter &filter : filters_) {
    if (isAmong(filter, tensors_))
      continue;
    std::vector<std::string> names;
    for (const TensorTraits &tensor : all)
      names.push_back(tensor.name);
    throw std::invalid_argument(
        "[outfeed] --allow-intervention: " +
        (isAmong(filter, all)
             ? "'" + filter.text() +
                   "' is a constant, or an update, which is computed to be "
                   "watched; change the gradient or the weight instead"
             : "no tensor matches '" + filter.text() + "'; the nearest are " +
                   text::nearestNames(filter.text(), names)));
  }
}

} // namespace popscope::outfeed
