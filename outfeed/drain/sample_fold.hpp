// Joins the samples of a tensor that belong to one update, for all sinks:
// TensorBoard keeps one point per tag and step.
#pragma once

#include "outfeed/drain/frame_decoder.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace popscope::outfeed {

// What becomes of the micro-batches and replicas of one update.
enum class Fold {
  together, // one sample
  apart     // one each, whose Tap has an origin
};

// Each replica is folded over its micro-batches, then the replicas in ascending
// order. Floating-point sums depend on their order, so this one is fixed: it
// gives the same bits whichever replica's frames arrive first, and whether or
// not each replica was folded beforehand, in another process. A replica that
// comes in its turn is folded at once, so that a sample of each tap is kept and
// not one of each replica.
class SampleFold {
public:
  using Take =
      std::function<void(const Tap &, Update, const TensorSample &sample)>;

  // `take` gets an update of a tap as soon as all its samples are there. If
  // some never come (their frames were dropped), it gets the others once a
  // later update is complete or kMostOpen are not.
  static constexpr std::size_t kMostOpen = 4;

  SampleFold(Fold fold, unsigned replicas, Take take);

  // Samples of one tap and replica come in the order of their executions. A
  // tap has samples of single replicas or of all of them together.
  void add(const DecodedSample &decoded);
  // Gives `take` what is left.
  void finish();

  // Samples left out because a later update of their tap had been taken.
  std::uint64_t late() const { return late_; }

private:
  // What has come of a replica, over its micro-batches.
  struct Part {
    TensorSample sample;
    unsigned missing; // samples
  };
  struct Open {
    Update update;
    std::size_t missing;   // samples, of one replica each
    unsigned next = 0;     // replicas before it are in `all`
    bool hasAll = false;   // whether there is any
    TensorSample all = {}; // in ascending order
    std::map<unsigned, Part> waiting = {};

    void add(unsigned replica, unsigned samples, const TensorSample &sample);
    void fold(const TensorSample &sample);
    void foldWhole();
  };
  struct Series {
    const Tap *tap = nullptr;
    std::deque<Open> open; // by update
    std::optional<Update> taken;
  };
  using Origin = std::tuple<TapId, unsigned, unsigned>;

  static void fetchAhead(const Series &next, const Series &afterNext,
                         bool hasShape);
  Series &seriesOf(TapId tap, bool hasShape);
  void join(const DecodedSample &decoded);
  void takeFirst(Series &series);
  const Tap &tapApart(const DecodedSample &decoded);

  const Fold fold_;
  const unsigned replicas_;
  const Take take_;
  std::vector<Series> taps_, alarms_; // by their place in the plan
  std::map<Origin, Tap> apart_;
  std::uint64_t late_ = 0;
};

} // namespace popscope::outfeed
