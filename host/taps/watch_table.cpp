#include "host/taps/watch_table.hpp"

#include "host/events/text_output.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace popscope::host {

namespace {

constexpr std::chrono::milliseconds kRedraw{200};

std::string shortNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%",
                whole ? 100.0 * double(part) / double(whole) : 0.0);
  return text;
}

} // namespace

WatchTable::WatchTable(std::ostream &out, WatchStyle style)
    : out_(out), style_(style) {}

void WatchTable::take(const outfeed::Tap &tap, summary::Step step,
                      const outfeed::TensorSample &sample) {
  auto row = std::find_if(rows_.begin(), rows_.end(),
                          [&](const Row &r) { return r.tap == &tap; });
  if (row == rows_.end()) {
    row = std::find_if(rows_.begin(), rows_.end(),
                       [&](const Row &r) { return r.tap->id > tap.id; });
    row = rows_.insert(row, Row{&tap, 0, {}, false});
  }
  row->step = step.value();
  row->stats = sample.stats;
  row->hasMoments = sample.payload >= outfeed::Payload::stats;
  if (style_ == WatchStyle::live &&
      std::chrono::steady_clock::now() - lastDrawn_ > kRedraw)
    draw();
}

void WatchTable::flush() {
  if (!rows_.empty())
    draw();
}

void WatchTable::draw() {
  events::Table table(
      {"tensor", "step", "mean", "std", "min", "max", "zeros", "not finite"});
  for (const Row &row : rows_) {
    const summary::TensorStats &stats = row.stats;
    const auto number = [&](double value) {
      return row.hasMoments && stats.finite() ? shortNumber(value) : "-";
    };
    table.add({row.tap->tensor.name, std::to_string(row.step),
               number(stats.mean), number(stats.standardDeviation()),
               number(stats.min), number(stats.max),
               row.hasMoments ? percent(stats.zero, stats.count) : "-",
               std::to_string(stats.count - stats.finite())});
  }
  std::ostringstream text;
  table.print(text, events::Layout::aligned);
  const std::string lines = text.str();
  if (style_ == WatchStyle::live && linesDrawn_ != 0)
    out_ << "\x1b[" << linesDrawn_ << "A\x1b[J"; // up, clear what is below
  out_ << lines << std::flush;
  linesDrawn_ = std::size_t(std::count(lines.begin(), lines.end(), '\n'));
  lastDrawn_ = std::chrono::steady_clock::now();
}

} // namespace popscope::host
