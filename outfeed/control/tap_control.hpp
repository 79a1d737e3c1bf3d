// Which taps are due: what rules say at first, and what is asked for while the
// program runs.
#pragma once

#include "outfeed/control/control_request.hpp"
#include "outfeed/control/interventions.hpp"
#include "outfeed/control/watched_tensor.hpp"
#include "outfeed/tap_plan.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace popscope::outfeed {

// A tensor is sent with one payload at a time, whichever are compiled in.
class TapControl {
public:
  // The plan is complete and outlives this.
  explicit TapControl(const TapPlan &plan, Interventions interventions = {});
  ~TapControl(); // closes

  // By any thread:

  struct Change {
    std::vector<std::string> lines; // what was done, in words
    // The first update for which it holds, once that begins; nothing if the
    // program ends before.
    std::future<std::optional<Update>> update;
  };
  // Throws std::invalid_argument and changes nothing if a filter cannot be
  // understood or finds nothing that is compiled in.
  Change apply(const ControlRequest &request);
  // Applies the request and waits until it holds, the program ends, or
  // `givesUp`, which is polled while it waits, returns true. A request that
  // changes nothing is answered at once, with the status.
  ControlReply answer(const ControlRequest &request,
                      const std::function<bool()> &givesUp = {});
  // Like apply with everythingOnce; may be called in a signal's handler.
  void askEverythingOnce() noexcept { isEverythingAsked_ = true; }

  std::vector<ControlStatus> status() const;
  // The share of the updates so far at which the rule's taps were due, on
  // average over its tensors.
  double dueShare(std::size_t rule) const;
  // Those since the last call.
  std::vector<ControlNote> takeNotes();
  // All that have begun so far, and those to be repeated.
  std::vector<Intervention> interventions() const;
  // The update of the n-th transfer of a tap with payload full, from 0, which
  // has begun. The frames of other taps carry their update.
  Update updateOfTransfer(TapId tap, std::uint64_t n) const;

  // By the thread that runs the program:

  // Before the first update, if it is not 0.
  void resumeAt(Update update);
  // After that: as Interventions::repeat.
  void repeat(const std::vector<Intervention> &earlier);
  // At the top of an update: decides what is due at it.
  void beginUpdate();
  // In its place, if that was decided elsewhere: of taps with payload full.
  void follow(const std::function<bool(TapId)> &isDue);
  // The taps of a rule are due every so many updates instead of as often as it
  // says, and at those it lists; 0: only at those. Nothing is noted, and what a
  // request has changed stays as it is. Between runs.
  void setEvery(std::size_t rule, std::uint32_t every);
  // Leaves a note in the log, as a request does. Between runs.
  void note(const std::string &text);
  // From now on, taps are due at an update if `rules`, which is asked at its
  // top, says so of their rule; of a tensor with several taps, the one in use.
  // No tensor is changed.
  using Rehearsal = std::function<const std::vector<bool> &()>;
  void rehearse(Rehearsal rules);
  // As decided last.
  bool isDue(TapId tap) const;
  float limit(TapId tap, std::size_t which) const;
  // Of the tensor at this place among those that may be changed.
  const InterventionWords &intervention(std::size_t place) const {
    return interventionWords_[place];
  }
  // No update will begin any more.
  void close();

private:
  using Selection = std::vector<WatchedTensor *>;
  struct Waiting {
    std::string text;
    bool isIntervention = false;
    std::promise<std::optional<Update>> update;
  };

  Selection select(const std::string &filter,
                   std::vector<WatchedTensor> &watched) const;
  Selection selectWith(const std::string &filter, Payload payload,
                       std::vector<WatchedTensor> &watched) const;
  Selection selectWith(const std::string &filter, const Condition &condition,
                       std::vector<WatchedTensor> &watched) const;
  void enable(const std::string &filter, const ControlRequest &request,
              std::vector<WatchedTensor> &watched,
              std::vector<std::string> &lines) const;

  const TapPlan &plan_;
  std::vector<bool> isDue_;                // by tap
  std::vector<std::vector<float>> limits_; // likewise
  std::vector<bool> isReplaced_;           // by alarm
  std::vector<InterventionWords> interventionWords_;
  std::atomic<bool> isEverythingAsked_{false};
  mutable std::mutex mutex_; // guards all below
  std::vector<WatchedTensor> watched_;
  Interventions interventions_;
  std::uint32_t firstUpdate_ = 0, nextUpdate_ = 0;
  bool isClosed_ = false;
  std::vector<Waiting> waiting_; // for the next update
  std::vector<ControlNote> notes_;
  Rehearsal rehearsal_; // null: there is none
  // Of taps with payload full: four bytes for each whole tensor.
  std::map<TapId, std::vector<std::uint32_t>> transfers_;
};

} // namespace popscope::outfeed
