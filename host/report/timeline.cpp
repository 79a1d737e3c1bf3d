#include "host/report/timeline.hpp"

#include "host/record/health_record.hpp"
#include "outfeed/sinks/event_sink.hpp"
#include "summary/reading/decoded_value.hpp"
#include "summary/reading/event_reader.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFired = "fired/";
constexpr std::size_t kMostPoints = 2000;

// Points of a tag by step. One at a step replaces those from there on, as in
// TensorBoard: a restarted program has written them again.
using Steps = std::map<std::int64_t, double>;

void add(Steps &points, std::int64_t step, double value) {
  points.erase(points.lower_bound(step), points.end());
  points.emplace_hint(points.end(), step, value);
}

// Which curve a tag has; empty for none.
std::string metricOf(std::string_view tag) {
  for (const char *const loss : {"epoch_loss", "evaluation_loss", "Loss"})
    if (tag == loss)
      return "loss";
  for (const char *const accuracy :
       {"epoch_accuracy", "evaluation_accuracy", "Accuracy"})
    if (tag == accuracy)
      return "accuracy";
  return "";
}

std::vector<Curve::Point> thinned(std::vector<Curve::Point> points) {
  if (points.size() <= kMostPoints)
    return points;
  const std::size_t perPair = points.size() / (kMostPoints / 2) + 1;
  const auto isLower = [](const Curve::Point &a, const Curve::Point &b) {
    return a.value < b.value;
  };
  std::vector<Curve::Point> kept;
  for (std::size_t i = 0; i < points.size(); i += perPair) {
    const auto begin = points.begin() + std::ptrdiff_t(i);
    const auto end =
        points.begin() + std::ptrdiff_t(std::min(i + perPair, points.size()));
    auto [low, high] = std::minmax_element(begin, end, isLower);
    if (high < low)
      std::swap(low, high);
    kept.push_back(*low);
    if (low != high)
      kept.push_back(*high);
  }
  return kept;
}

// Epochs are counted from 0, but from 1 where a tutorial does.
void addFolder(std::vector<Curve> &curves, const fs::path &folder,
               double updatesPerEpoch) {
  struct Found {
    Steps points;
    bool countsFromOne;
  };
  std::map<std::string, Found> byMetric;
  summary::RunReader reader(folder);
  while (const auto event = reader.next())
    for (summary::ValueCursor values(*event); const auto value = values.next();)
      if (const std::string metric = metricOf(value->tag); !metric.empty())
        if (const auto number = decodeScalar(*value)) {
          Found &found = byMetric[metric];
          found.countsFromOne =
              value->tag == "Loss" || value->tag == "Accuracy";
          add(found.points, event->step, *number);
        }
  for (const auto &[metric, found] : byMetric) {
    Curve curve{metric, folder.filename().string(), {}};
    for (const auto &[step, value] : found.points)
      curve.points.push_back(
          {double(step + (found.countsFromOne ? 0 : 1)) * updatesPerEpoch,
           value});
    curve.points = thinned(std::move(curve.points));
    curves.push_back(std::move(curve));
  }
}

void addTappedLoss(std::vector<Curve> &curves, const fs::path &run) {
  const std::string tag =
      std::string(outfeed::tagGroup(graph::TensorKind::loss)) + "/loss/mean";
  Steps points;
  summary::RunReader reader(run);
  while (const auto event = reader.next())
    for (summary::ValueCursor values(*event); const auto value = values.next();)
      if (value->tag == tag)
        if (const auto number = decodeScalar(*value))
          add(points, event->step, *number);
  if (points.empty())
    return;
  Curve curve{"loss", "", {}};
  for (const auto &[step, value] : points)
    curve.points.push_back({double(step), value});
  curve.points = thinned(std::move(curve.points));
  curves.push_back(std::move(curve));
}

// Notes that the run wrote as texts: conditions that held, and control.
void addTexts(std::vector<Alert> &alerts, const fs::path &run) {
  summary::RunReader reader(run);
  while (const auto event = reader.next()) {
    if (event->step < 0 ||
        event->step > std::numeric_limits<std::uint32_t>::max())
      continue;
    for (summary::ValueCursor values(*event);
         const auto value = values.next();) {
      const bool isFiring = value->tag.substr(0, kFired.size()) == kFired;
      if (!isFiring && value->tag != "control")
        continue;
      const auto text = decodeText(*value);
      if (!text || text->elements.empty())
        continue;
      alerts.push_back(
          {std::uint32_t(event->step), isFiring ? "condition" : "control",
           isFiring ? std::string(value->tag.substr(kFired.size())) : "",
           text->elements.front()});
    }
  }
}

} // namespace

std::vector<Curve> readCurves(const fs::path &run, double updatesPerEpoch) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator it(run, error), end; !error && it != end;
       it.increment(error))
    if (std::error_code none; it->is_directory(none))
      folders.push_back(it->path());
  std::sort(folders.begin(), folders.end());
  std::vector<Curve> curves;
  addTappedLoss(curves, run);
  for (const fs::path &folder : folders)
    addFolder(curves, folder, updatesPerEpoch);
  return curves;
}

std::vector<Alert> readAlerts(const fs::path &run,
                              const text::JsonValue &manifest) {
  std::vector<Alert> alerts;
  const text::JsonValue &bad = manifest["health"]["first_not_finite"];
  if (!bad.isNull())
    alerts.push_back({bad["update"].count32Or(0), "not finite",
                      bad["tensor"].stringOr(""), bad["cause"].stringOr("")});
  for (const outfeed::Intervention &each : recordedInterventions(manifest))
    alerts.push_back(
        {each.first.value(), "intervention", each.tag, lineOf(each)});
  addTexts(alerts, run);
  std::stable_sort(
      alerts.begin(), alerts.end(),
      [](const Alert &a, const Alert &b) { return a.update < b.update; });
  return alerts;
}

} // namespace popscope::host
