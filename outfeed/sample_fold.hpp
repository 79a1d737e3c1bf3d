// Joins the samples of a tensor that belong to one step: TensorBoard keeps one
// point per tag and step.
#pragma once

#include "outfeed/frame_decoder.hpp"
#include "outfeed/sinks/sample_sink.hpp"

#include <map>
#include <optional>
#include <tuple>

namespace popscope::outfeed {

// What becomes of the micro-batches and replicas of one step.
enum class Fold {
  together, // one sample
  apart     // one each, whose Tap has an origin
};

class SampleFold {
public:
  explicit SampleFold(Fold fold) : fold_(fold) {}

  // Gives the sink the tap's sample of an earlier step once a later one comes.
  void add(const DecodedSample &decoded, SampleSink &sink);
  // Gives it what is open.
  void finish(SampleSink &sink);

private:
  using Key = std::tuple<TapId, unsigned, unsigned>;
  struct Open {
    Tap tap;
    Update update;
    std::optional<TensorSample> sample;
  };
  Open &openFor(const DecodedSample &decoded);

  Fold fold_;
  std::map<Key, Open> open_; // in the order of the plan
};

} // namespace popscope::outfeed
