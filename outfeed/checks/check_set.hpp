// Makes all checks of a plan, update by update.
#pragma once

#include "outfeed/checks/check_plan.hpp"
#include "outfeed/checks/finding.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace popscope::outfeed {

struct DueAction {
  CheckAction action;
  const Finding &finding;
  const TensorTraits &tensor;
  std::uint32_t sampleFor; // updates
};

// The same observations give the same findings, in a training and over its log.
class CheckSet {
public:
  struct Listener {
    // Once for each check and tensor, when the check first objects to it.
    std::function<void(const Finding &)> found;
    // An action other than mark is due, at the finding's last update.
    std::function<void(const DueAction &)> act;
    // After all of this update.
    std::function<void(Update)> looked;
  };

  CheckSet(std::vector<PlannedCheck> checks, const ProgramFacts &facts,
           Listener listener = {});

  // The series of a tensor that the facts list by this name and moment; null if
  // they do not. It keeps its address.
  const Series *seriesOf(const TensorTraits &tensor,
                         const std::optional<SampleOrigin> &origin);

  // Updates ascend; the observations of one come in any order.
  void look(UpdateObservations update);

  // In the order in which they were made.
  const std::deque<Finding> &findings() const { return findings_; }
  // The names of those that had something to check.
  std::vector<std::string> made() const;
  // NAME: why the check could not say anything and what to do about it. Not of
  // checks that this kind of program has no use for.
  std::vector<std::string> lacking() const;
  std::vector<Check::Measure> measures() const;

private:
  struct State {
    std::size_t finding;
    std::size_t level = 0;       // actions taken
    std::uint64_t sinceLast = 0; // samples since the last of them
  };
  using CheckAndSeries = std::pair<std::size_t, std::size_t>;

  void note(std::size_t check, const Violation &violation, Update update);

  std::vector<PlannedCheck> checks_;
  std::vector<std::string> unmatched_; // by check: why it watches nothing
  const Listener listener_;
  std::map<std::string, std::size_t> places_; // by moment and name
  std::deque<Series> series_;
  std::map<std::tuple<std::size_t, unsigned, unsigned, bool>, const Series *>
      seriesOf_;
  std::deque<Finding> findings_;
  std::map<CheckAndSeries, State> states_;
};

} // namespace popscope::outfeed
