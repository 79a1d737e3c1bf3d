// Observations of a small program, one update after the other.
#pragma once

#include "outfeed/checks/check_set.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace popscope::outfeed {

inline TensorTraits tensor(const std::string &name, graph::TensorKind kind,
                           graph::TapMoment moment = graph::TapMoment::applied,
                           std::size_t elements = 100,
                           const std::string &dtype = "float") {
  TensorTraits traits;
  traits.name = name;
  traits.kind = kind;
  traits.moment = moment;
  traits.dtype = dtype;
  traits.shape = {elements};
  traits.numElements = elements;
  return traits;
}

// Three layers, their loss, gradients, updates and weights.
inline ProgramFacts threeLayers() {
  using graph::TapMoment;
  using graph::TensorKind;
  ProgramFacts facts;
  const std::vector<std::string> layers = {"a", "b", "c"};
  for (const std::string &layer : layers) {
    facts.tensors.push_back(
        tensor(layer + "_acts", TensorKind::activation, TapMoment::microBatch));
    facts.tensors.back().derivation.computation = graph::Computation::relu;
  }
  facts.tensors.push_back(
      tensor("loss", TensorKind::loss, TapMoment::microBatch));
  for (const TapMoment moment :
       {TapMoment::microBatch, TapMoment::accumulated, TapMoment::reduced})
    for (const std::string layer : {"c", "b", "a"})
      facts.tensors.push_back(
          tensor(layer + "/kernel:0_grad", TensorKind::gradient, moment));
  for (const std::string &layer : layers) {
    facts.tensors.push_back(
        tensor(layer + "/kernel:0_update", TensorKind::update));
    facts.tensors.push_back(tensor(layer + "/kernel:0", TensorKind::weight));
  }
  facts.tensors.push_back(tensor("h_preacts", TensorKind::preactivation,
                                 TapMoment::microBatch, 100, "half"));
  return facts;
}

class Trace {
public:
  explicit Trace(const std::string &json,
                 const ProgramFacts &facts = threeLayers())
      : facts_(facts),
        checks(parseChecks(json), facts,
               {[](const Finding &) {},
                [this](const DueAction &due) {
                  actions.push_back(nameOf(due.action) + std::string(" ") +
                                    due.finding.tensor + "@" +
                                    std::to_string(due.finding.last.value()));
                },
                {}}) {}

  using Values = std::initializer_list<std::pair<Statistic, double>>;

  // For the current update; `tag` is the name, or that of a gradient at
  // another moment as tagOf has it.
  void give(const std::string &tag, Values values,
            std::optional<SampleOrigin> origin = std::nullopt) {
    Observation observation;
    for (const auto &[statistic, value] : values)
      observation.set(statistic, float(value));
    for (const TensorTraits &traits : facts_.tensors)
      if (tagOf(traits) == tag)
        update_.all.push_back({checks.seriesOf(traits, origin), observation});
  }
  void end() {
    checks.look(std::exchange(
        update_, UpdateObservations{Update(update_.update.value() + 1), {}}));
  }

  // "tensor@update", in order.
  std::vector<std::string> found() const {
    std::vector<std::string> lines;
    for (const Finding &finding : checks.findings())
      lines.push_back(finding.tensor + "@" +
                      std::to_string(finding.first.value()));
    return lines;
  }

private:
  const ProgramFacts facts_;
  UpdateObservations update_;

public:
  CheckSet checks;
  std::vector<std::string> actions;
};

} // namespace popscope::outfeed
