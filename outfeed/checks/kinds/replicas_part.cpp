#include "outfeed/checks/kinds/replicas_part.hpp"

#include "text/number_text.hpp"

#include <cstddef>
#include <utility>

namespace popscope::outfeed {

namespace {

using Replicas = std::vector<const Observed *>;

// The one that most replicas are equal to; of several, the first.
const Observed *commonOf(const Replicas &replicas) {
  const Observed *common = nullptr;
  std::size_t most = 0;
  for (const Observed *candidate : replicas) {
    std::size_t equal = 0;
    for (const Observed *other : replicas)
      equal += !difference(candidate->value, other->value);
    if (equal > most) {
      most = equal;
      common = candidate;
    }
  }
  return common;
}

std::string textOf(const Observation &observation, Statistic statistic) {
  const auto value = observation[statistic];
  return value ? text::significant(*value, 9) : "not known";
}

} // namespace

std::vector<Violation> ReplicasPart::look(const UpdateObservations &update) {
  // By the tensor and the micro-batch; the replicas ascend.
  std::map<std::pair<std::size_t, unsigned>, Replicas> tensors;
  for (const Observed &observed : update.all)
    if (observed.series->origin && watches(*observed.series)) {
      noteSeen();
      tensors[{observed.series->place, observed.series->origin->microBatch}]
          .push_back(&observed);
    }
  texts_.clear();
  std::vector<Violation> violations;
  for (const auto &[tensor, replicas] : tensors) {
    const Observed *const common = commonOf(replicas);
    for (const Observed *replica : replicas)
      if (const auto differs = difference(common->value, replica->value)) {
        const unsigned number = replica->series->origin->replica;
        violations.push_back({replica->series, double(number)});
        texts_[replica->series] =
            "replica " + std::to_string(number) + " differs from replica " +
            std::to_string(common->series->origin->replica) + ": " +
            nameOf(*differs) + " is " + textOf(replica->value, *differs) +
            ", not " + textOf(common->value, *differs);
      }
  }
  return violations;
}

std::string ReplicasPart::describe(const Violation &violation) const {
  return texts_.at(violation.series);
}

std::string ReplicasPart::lacking() const {
  if (!isNeeded_ || hasSeen())
    return "";
  return "no statistics of each replica of '" + tensors().text() +
         "'; add --keep-apart --tap '" + tap() + "'";
}

} // namespace popscope::outfeed
