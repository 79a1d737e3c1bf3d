#include "host/train/progress_line.hpp"

#include "text/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace popscope::host {

namespace {

constexpr std::size_t kWidestBar = 24;
constexpr std::size_t kNarrowestBar = 8;
constexpr char kGap[] = "  ";
constexpr std::size_t kGapWidth = sizeof kGap - 1;

std::string timeText(double seconds) {
  const auto whole = std::lround(seconds);
  const long hours = whole / 3600, minutes = whole / 60 % 60;
  char text[48];
  if (hours)
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", hours, minutes,
                  whole % 60);
  else
    std::snprintf(text, sizeof text, "%ld:%02ld", minutes, whole % 60);
  return text;
}

std::string metricText(const Metric &metric) {
  return metric.name + " " + text::fourDecimals(metric.value);
}

std::string barText(const ProgressState &state, std::size_t width) {
  const std::size_t filled = width * state.done.value() /
                             std::max<std::size_t>(1, state.total.value());
  return "[" + std::string(filled, '=') + std::string(width - filled, ' ') +
         "]";
}

// In the order of the line; an empty one is not shown.
enum Part : std::size_t { atLabel, atBar, atCount, atLeft, atRate, atMetrics };

} // namespace

std::string metricsText(const MetricValues &metrics,
                        const std::string &prefix) {
  std::string text;
  for (const Metric &metric : metrics)
    text += kGap + prefix + metricText(metric);
  return text;
}

std::string progressLine(const ProgressState &state, std::size_t columns) {
  std::vector<std::string> parts(atMetrics + state.metrics.size());
  parts[atLabel] = state.label;
  std::size_t used = state.label.size();
  const auto add = [&](std::size_t place, const std::string &text) {
    if (used + kGapWidth + text.size() > columns)
      return;
    used += kGapWidth + text.size();
    parts[place] = text;
  };
  const auto addMetric = [&](std::size_t i) {
    if (i < state.metrics.size())
      add(atMetrics + i, metricText(state.metrics[i]));
  };

  // The most important first.
  const bool hasRate = state.imagesPerSecond > 0.0;
  addMetric(0);
  if (hasRate)
    add(atLeft, timeText(state.secondsLeft) + " left");
  add(atCount, std::to_string(state.done.value()) + "/" +
                   std::to_string(state.total.value()));
  addMetric(1);
  if (hasRate)
    add(atRate, text::withThousands(state.imagesPerSecond) + " images/s");
  for (std::size_t i = 2; i < state.metrics.size(); ++i)
    addMetric(i);
  constexpr std::size_t kBrackets = 2;
  const std::size_t room =
      columns - std::min(columns, used + kGapWidth + kBrackets);
  if (room >= kNarrowestBar)
    add(atBar, barText(state, std::min(room, kWidestBar)));

  std::string line;
  for (const std::string &part : parts)
    if (!part.empty())
      line += (line.empty() ? "" : kGap) + part;
  return line.substr(0, columns);
}

} // namespace popscope::host
