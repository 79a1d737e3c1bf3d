#include "outfeed/sample_fold.hpp"

#include <utility>

namespace popscope::outfeed {

SampleFold::Open &SampleFold::openFor(const DecodedSample &decoded) {
  const SampleOrigin origin =
      fold_ == Fold::apart ? decoded.origin : SampleOrigin();
  const Key key(decoded.tap.id, origin.replica, origin.microBatch);
  const auto found = open_.find(key);
  if (found != open_.end())
    return found->second;
  Tap tap = decoded.tap;
  if (fold_ == Fold::apart)
    tap.origin = origin;
  return open_.emplace(key, Open{std::move(tap), decoded.update, {}})
      .first->second;
}

void SampleFold::add(const DecodedSample &decoded, SampleSink &sink) {
  Open &open = openFor(decoded);
  if (open.sample && open.update == decoded.update) {
    open.sample->merge(decoded.sample);
    return;
  }
  if (open.sample)
    sink.take(open.tap, open.update, *open.sample);
  open.update = decoded.update;
  open.sample = decoded.sample;
}

void SampleFold::finish(SampleSink &sink) {
  for (auto &[key, open] : open_) {
    if (open.sample)
      sink.take(open.tap, open.update, *open.sample);
    open.sample.reset();
  }
}

} // namespace popscope::outfeed
