#include "host/record/recorded_magnitudes.hpp"

#include "host/events/writing/replaced_points.hpp"
#include "host/record/tap_tag.hpp"
#include "summary/reading/decoded_value.hpp"
#include "summary/reading/event_reader.hpp"

#include <map>
#include <optional>
#include <utility>

namespace popscope::host {

namespace {

template <class Visit>
void forEachHistogram(const std::filesystem::path &run, Visit visit) {
  summary::RunReader reader(run);
  while (const auto event = reader.next())
    for (summary::ValueCursor values(*event);
         const auto value = values.next();) {
      const std::optional<TapTag> tag = parseTapTag(value->tag);
      if (tag && tag->statistic == "histogram")
        visit(std::string(tag->tensor), event->step, *value);
    }
}

} // namespace

std::vector<TensorMagnitudes>
recordedMagnitudes(const std::filesystem::path &run) {
  std::map<std::string, events::ReplacedPoints> points;
  forEachHistogram(
      run, [&](const std::string &tensor, std::int64_t step,
               const summary::ValueView &) { points[tensor].add(step); });
  std::vector<TensorMagnitudes> result;
  std::map<std::string, std::size_t> places;
  forEachHistogram(run, [&](const std::string &tensor, std::int64_t step,
                            const summary::ValueView &value) {
    const auto found = points.find(tensor);
    // One that was written since the first look counts next time.
    if (found == points.end() || !found->second.remains(step))
      return;
    const auto [place, isNew] = places.emplace(tensor, result.size());
    if (isNew)
      result.push_back({tensor, {}});
    if (const auto histogram = decodeHistogram(value))
      result[place->second].magnitudes.add(*histogram);
  });
  return result;
}

} // namespace popscope::host
