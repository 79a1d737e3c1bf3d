#include "outfeed/health/input_trace.hpp"

#include <utility>

namespace popscope::outfeed {

using graph::TapMoment;

// From one sample backwards through the program.
class InputTrace::Search {
public:
  Search(const InputTrace &trace, const SampleOrigin &origin)
      : trace_(trace), graph_(trace.graph_), origin_(origin),
        isVisited_(graph_.size(), false) {}

  std::vector<KnownInput> inputsOf(std::size_t point, Update update) {
    isVisited_[point] = true;
    const TensorTraits &tensor = graph_.point(point);
    std::vector<KnownInput> direct;
    for (const std::string &name : tensor.derivation.inputs)
      direct.push_back({name, {}, false});
    for (const PointGraph::Input &input : graph_.inputs(point))
      direct[input.number] = known(input, update, tensor.moment);
    direct.insert(direct.end(), std::make_move_iterator(behind_.begin()),
                  std::make_move_iterator(behind_.end()));
    return direct;
  }

private:
  KnownInput known(const PointGraph::Input &input, Update update,
                   TapMoment reader) {
    KnownInput direct =
        trace_.read(input, update, origin_, reader == TapMoment::microBatch);
    if (direct.health || isVisited_[input.point] ||
        (input.ofUpdateBefore && update == trace_.first_))
      return direct;
    const Update at(update.value() - unsigned(input.ofUpdateBefore));
    isVisited_[input.point] = true;
    const TensorTraits &tensor = graph_.point(input.point);
    const auto &further = graph_.inputs(input.point);
    const bool isSelected = keepsFinite(tensor.derivation.computation) &&
                            tensor.derivation.inputs.size() == 1;
    if (isSelected && further.size() == 1) {
      KnownInput found = known(further.front(), at, tensor.moment);
      isVisited_[input.point] = false; // it may be read twice
      return found;
    }
    for (const PointGraph::Input &next : further)
      if (KnownInput found = known(next, at, tensor.moment); found.health)
        behind_.push_back(std::move(found));
    return direct;
  }

  const InputTrace &trace_;
  const PointGraph &graph_;
  const SampleOrigin origin_;
  std::vector<bool> isVisited_;
  std::vector<KnownInput> behind_;
};

std::vector<KnownInput> InputTrace::inputsOf(std::size_t point, Update update,
                                             const SampleOrigin &origin) const {
  return Search(*this, origin).inputsOf(point, update);
}

KnownInput InputTrace::read(const PointGraph::Input &input, Update update,
                            const SampleOrigin &origin,
                            bool ofMicroBatch) const {
  const TensorTraits &tensor = graph_.point(input.point);
  if (input.ofUpdateBefore && update == first_) {
    const auto before = before_.find(tensor.name);
    if (before == before_.end())
      return {tagOf(tensor), {}, false};
    return {tensor.name, before->second, true};
  }
  const Update at(update.value() - unsigned(input.ofUpdateBefore));
  const TensorHealth *const health =
      healthAt(input.point, at, origin, ofMicroBatch);
  return {tagOf(tensor), health ? std::optional(*health) : std::nullopt, false};
}

// What is computed once per update is computed from all micro-batches.
const TensorHealth *InputTrace::healthAt(std::size_t point, Update update,
                                         const SampleOrigin &origin,
                                         bool ofMicroBatch) const {
  const TensorHealth *const ofSame = history_.find(point, update, origin);
  const bool isOfSame = ofMicroBatch && ofSame &&
                        graph_.point(point).moment == TapMoment::microBatch;
  return isOfSame ? ofSame : history_.worst(point, update, origin.replica);
}

} // namespace popscope::outfeed
