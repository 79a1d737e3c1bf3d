#include "outfeed/drain/sample_fold.hpp"

#include <algorithm>
#include <utility>

namespace popscope::outfeed {

SampleFold::SampleFold(Fold fold, unsigned replicas, Take take)
    : fold_(fold), replicas_(replicas), take_(std::move(take)) {}

void SampleFold::add(const DecodedSample &decoded) {
  if (fold_ == Fold::apart)
    take_(tapApart(decoded), decoded.update, decoded.sample);
  else if (decoded.samplesPerUpdate == 1 && decoded.replicas == replicas_)
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

void SampleFold::Open::fold(const TensorSample &sample) {
  if (hasAll)
    all.merge(sample);
  else
    all = sample;
  hasAll = true;
}

// Replicas whose turn it is, and of which all samples are there.
void SampleFold::Open::foldWhole() {
  for (auto part = waiting.begin();
       part != waiting.end() && part->first == next &&
       part->second.missing == 0;
       part = waiting.erase(part), ++next)
    fold(part->second.sample);
}

void SampleFold::Open::add(unsigned replica, unsigned samples,
                           const TensorSample &sample) {
  if (replica == next && samples == 1) {
    fold(sample);
    ++next;
  } else if (const auto part = waiting.find(replica); part != waiting.end()) {
    part->second.sample.merge(sample);
    --part->second.missing;
  } else {
    waiting.emplace(replica, Part{sample, samples - 1});
  }
  foldWhole();
}

SampleFold::Series &SampleFold::seriesOf(TapId tap, bool hasShape) {
  std::vector<Series> &list = TapPlan::isAlarm(tap) ? alarms_ : taps_;
  const std::size_t place = TapPlan::placeOf(tap);
  if (list.size() <= place)
    list.resize(place + 1);
  if (list.size() > place + 2)
    fetchAhead(list[place + 1], list[place + 2], hasShape);
  return list[place];
}

// Records of a frame come in the order of the plan, and the samples of
// thousands of taps are in no cache: those that are next are on their way while
// this one is folded. Where exponents are counted is known once the rest is
// there.
void SampleFold::fetchAhead(const Series &next, const Series &afterNext,
                            bool hasShape) {
  if (next.open.empty() || afterNext.open.empty())
    return;
  const auto fetch = [](const void *begin, const void *end) {
    constexpr std::size_t kLine = 64;
    for (const char *at = static_cast<const char *>(begin); at < end;
         at += kLine)
      __builtin_prefetch(at, 1);
  };
  const Open &later = afterNext.open.front();
  fetch(&later, &later.all.stats.exponents[1]);
  if (!hasShape)
    return;
  fetch(&later.all.topExponent, std::end(later.all.buckets));
  const TensorSample &sooner = next.open.front().all;
  const auto &exponents = sooner.stats.exponents;
  const unsigned top = std::min(sooner.topExponent, 254u);
  fetch(&exponents[top - std::min(top, kOctaves)], &exponents[top + 1]);
}

void SampleFold::join(const DecodedSample &decoded) {
  Series &series = seriesOf(decoded.tap.id, decoded.sample.hasShape());
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
        {decoded.update, std::size_t(replicas_) * decoded.samplesPerUpdate});
  open->add(decoded.origin.replica, decoded.samplesPerUpdate, decoded.sample);
  open->missing -= decoded.replicas;
  if (open->missing == 0) {
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
  for (const auto &[replica, part] : open.waiting)
    open.fold(part.sample);
  take_(*series.tap, open.update, open.all);
}

void SampleFold::finish() {
  for (std::vector<Series> *list : {&taps_, &alarms_})
    for (Series &series : *list)
      while (!series.open.empty())
        takeFirst(series);
}

} // namespace popscope::outfeed
