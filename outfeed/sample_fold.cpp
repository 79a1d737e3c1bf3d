#include "outfeed/sample_fold.hpp"

#include <algorithm>
#include <utility>

namespace popscope::outfeed {

SampleFold::SampleFold(Fold fold, unsigned replicas, Take take)
    : fold_(fold), replicas_(replicas), take_(std::move(take)) {}

void SampleFold::add(const DecodedSample &decoded) {
  if (fold_ == Fold::apart)
    take_(tapApart(decoded), decoded.update, decoded.sample);
  else if (replicas_ == 1 && decoded.samplesPerUpdate == 1)
    take_(decoded.tap, decoded.update, decoded.sample);
  else
    join(decoded);
}

const Tap &SampleFold::tapApart(const DecodedSample &decoded) {
  const Origin origin(decoded.tap.id, decoded.origin.replica,
                      decoded.origin.microBatch);
  const auto found = apart_.find(origin);
  if (found != apart_.end())
    return found->second;
  Tap tap = decoded.tap;
  tap.origin = decoded.origin;
  return apart_.emplace(origin, std::move(tap)).first->second;
}

void SampleFold::join(const DecodedSample &decoded) {
  Series &series = series_[decoded.tap.id];
  series.tap = &decoded.tap;
  if (series.taken && decoded.update < *series.taken) {
    ++late_;
    return;
  }
  auto open = std::find_if(
      series.open.begin(), series.open.end(),
      [&](const Open &other) { return !(other.update < decoded.update); });
  if (open == series.open.end() || open->update != decoded.update)
    open = series.open.insert(
        open,
        {decoded.update, std::size_t(replicas_) * decoded.samplesPerUpdate,
         std::vector<std::optional<TensorSample>>(replicas_)});
  std::optional<TensorSample> &ofReplica =
      open->ofReplica[decoded.origin.replica];
  if (ofReplica)
    ofReplica->merge(decoded.sample);
  else
    ofReplica = decoded.sample;
  if (--open->missing == 0) {
    // Streams are in order: what earlier updates miss does not come any more.
    for (auto count = open - series.open.begin() + 1; count != 0; --count)
      takeFirst(series);
  } else if (series.open.size() > kMostOpen) {
    takeFirst(series);
  }
}

void SampleFold::takeFirst(Series &series) {
  Open open = std::move(series.open.front());
  series.open.pop_front();
  series.taken = open.update;
  std::optional<TensorSample> all;
  for (std::optional<TensorSample> &ofReplica : open.ofReplica)
    if (all && ofReplica)
      all->merge(*ofReplica);
    else if (ofReplica)
      all = std::move(ofReplica);
  take_(*series.tap, open.update, *all);
}

void SampleFold::finish() {
  for (auto &[id, series] : series_)
    while (!series.open.empty())
      takeFirst(series);
}

} // namespace popscope::outfeed
