#include "host/record/recorded_magnitudes.hpp"

#include "host/events/writing/replaced_points.hpp"
#include "host/record/tap_tag.hpp"
#include "outfeed/sinks/statistic.hpp"
#include "summary/reading/decoded_value.hpp"
#include "summary/reading/event_reader.hpp"

#include <map>
#include <string_view>
#include <utility>

namespace popscope::host {

namespace {

constexpr std::string_view kHistogram = "histogram";

template <class Visit>
void forEachTapped(const std::filesystem::path &run, Visit visit) {
  summary::RunReader reader(run);
  while (const auto event = reader.next())
    for (summary::ValueCursor values(*event); const auto value = values.next();)
      if (const auto tag = parseTapTag(value->tag))
        visit(*tag, event->step, *value);
}

// Decides what of a tensor remains. An update has one event with its scalars,
// of which zero_share comes before those that are there only if they are not 0,
// and another one with its histogram.
class RemainingUpdates {
public:
  void add(const TapTag &tag, std::int64_t step) {
    if (tag.statistic == kHistogram)
      histograms_.add(step);
    else if (tag.statistic == outfeed::nameOf(Statistic::zeroShare))
      scalars_.add(step);
  }
  // As ReplacedPoints::remains.
  bool remains(const TapTag &tag, std::int64_t step) {
    if (tag.statistic == kHistogram)
      return histograms_.remains(step);
    if (tag.statistic == outfeed::nameOf(Statistic::zeroShare))
      scalarsRemain_ = scalars_.remains(step);
    return scalarsRemain_;
  }

private:
  events::ReplacedPoints histograms_, scalars_;
  bool scalarsRemain_ = false; // of the last event with any
};

void add(TensorMagnitudes &tensor, const TapTag &tag,
         const summary::ValueView &value) {
  if (tag.statistic == kHistogram) {
    if (const auto histogram = decodeHistogram(value))
      tensor.magnitudes.add(*histogram);
    return;
  }
  const auto count = [&value] {
    return std::uint64_t(decodeScalar(value).value_or(0));
  };
  if (tag.statistic == outfeed::nameOf(Statistic::nan))
    tensor.nan += count();
  else if (tag.statistic == outfeed::nameOf(Statistic::posInf) ||
           tag.statistic == outfeed::nameOf(Statistic::negInf))
    tensor.infinite += count();
}

} // namespace

std::vector<TensorMagnitudes>
recordedMagnitudes(const std::filesystem::path &run) {
  std::map<std::string, RemainingUpdates, std::less<>> updates;
  std::vector<TensorMagnitudes> result;
  std::map<std::string, std::size_t, std::less<>> places;
  forEachTapped(run, [&](const TapTag &tag, std::int64_t step,
                         const summary::ValueView &) {
    const std::string tensor(tag.tensor);
    updates[tensor].add(tag, step);
    if (tag.statistic == kHistogram &&
        places.emplace(tensor, result.size()).second)
      result.push_back({tensor, {}});
  });
  forEachTapped(run, [&](const TapTag &tag, std::int64_t step,
                         const summary::ValueView &value) {
    const auto place = places.find(tag.tensor);
    // One that was written since the first look counts next time.
    if (place != places.end() &&
        updates.find(tag.tensor)->second.remains(tag, step))
      add(result[place->second], tag, value);
  });
  return result;
}

} // namespace popscope::host
