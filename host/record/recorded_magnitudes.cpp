#include "host/record/recorded_magnitudes.hpp"

#include "host/events/replaced_points.hpp"
#include "summary/reading/decoded_value.hpp"
#include "summary/reading/event_reader.hpp"

#include <map>
#include <string_view>
#include <utility>

namespace popscope::host {

namespace {

// The tensor in GROUP/TENSOR/histogram of a group of taps; empty for another
// tag.
std::string_view tensorOf(std::string_view tag) {
  constexpr std::string_view kGroups = "tapped_", kEnding = "/histogram";
  const std::size_t slash = tag.find('/');
  if (tag.substr(0, kGroups.size()) != kGroups || slash == tag.npos ||
      tag.size() < slash + 1 + kEnding.size() ||
      tag.substr(tag.size() - kEnding.size()) != kEnding)
    return {};
  return tag.substr(slash + 1, tag.size() - slash - 1 - kEnding.size());
}

template <class Visit>
void forEachHistogram(const std::filesystem::path &run, Visit visit) {
  summary::RunReader reader(run);
  while (const auto event = reader.next())
    for (summary::ValueCursor values(*event);
         const auto value = values.next();) {
      const std::string_view tensor = tensorOf(value->tag);
      if (!tensor.empty())
        visit(std::string(tensor), event->step, *value);
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
