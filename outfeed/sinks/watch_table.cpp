#include "outfeed/sinks/watch_table.hpp"

#include "text/table.hpp"
#include "text/terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <utility>

namespace popscope::outfeed {

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

WatchTable::WatchTable(std::ostream &out, WatchStyle style,
                       std::function<text::TerminalSize()> terminal)
    : out_(out), style_(style), terminal_(std::move(terminal)) {}

void WatchTable::take(const Tap &tap, Update update,
                      const TensorSample &sample) {
  auto row = std::find_if(rows_.begin(), rows_.end(),
                          [&](const Row &r) { return r.tap == &tap; });
  if (row == rows_.end()) {
    row = std::find_if(rows_.begin(), rows_.end(),
                       [&](const Row &r) { return r.tap->id > tap.id; });
    row = rows_.insert(row, Row{&tap, update, {}, false});
  }
  row->update = update;
  row->stats = sample.stats;
  row->hasMoments = sample.payload >= Payload::stats;
  if (style_ == WatchStyle::live &&
      std::chrono::steady_clock::now() - lastDrawn_ > kRedraw)
    draw();
}

void WatchTable::flush() {
  if (!rows_.empty())
    draw();
}

void WatchTable::close(const TapReport &) {
  if (!rows_.empty() && style_ == WatchStyle::live)
    draw(true);
}

// All if there is room for them; else those with an element that is not finite
// and, as far as they go, the first of the others.
std::vector<const WatchTable::Row *>
WatchTable::rowsThatFit(std::size_t lines) const {
  const auto isBad = [](const Row &row) {
    return row.stats.finite() != row.stats.count;
  };
  const auto bad =
      std::size_t(std::count_if(rows_.begin(), rows_.end(), isBad));
  std::size_t others = lines - std::min(lines, bad);
  std::vector<const Row *> chosen;
  for (const Row &row : rows_) {
    if (chosen.size() == lines)
      break;
    if (!isBad(row) && others == 0)
      continue;
    others -= !isBad(row);
    chosen.push_back(&row);
  }
  return chosen;
}

std::string WatchTable::tableOf(const std::vector<const Row *> &rows,
                                std::size_t columns) const {
  text::Table table({"tensor", "update", "not finite", "abs max", "mean", "std",
                     "min", "max", "zeros"});
  for (const Row *row : rows) {
    const summary::TensorStats &stats = row->stats;
    const auto number = [&](double value) {
      return row->hasMoments && stats.finite() ? shortNumber(value) : "-";
    };
    table.add({tagOf(*row->tap), std::to_string(row->update.value()),
               std::to_string(stats.count - stats.finite()),
               stats.finite() ? shortNumber(stats.absMax) : "-",
               number(stats.mean), number(stats.standardDeviation()),
               number(stats.min), number(stats.max),
               row->hasMoments ? percent(stats.zero, stats.count) : "-"});
  }
  std::ostringstream text;
  table.print(text, text::Layout::aligned, columns);
  return text.str();
}

void WatchTable::draw(bool isLast) {
  const bool isLive = style_ == WatchStyle::live;
  constexpr std::size_t kAll = std::string::npos;
  text::TerminalSize size{kAll, kAll};
  if (isLive && !isLast)
    size = terminal_();
  // The cursor comes to stand in a line of its own, and a line that wraps
  // could not be wiped.
  constexpr std::size_t kOtherLines = 3; // heading, what is left out, cursor
  const std::size_t room = std::max(size.rows, kOtherLines + 1) - kOtherLines;
  const auto rows = rowsThatFit(std::min(room, rows_.size()));
  std::istringstream lines(
      tableOf(rows, isLive && isLast ? terminal_().columns : kAll) +
      (rows.size() == rows_.size()
           ? ""
           : "  and " + std::to_string(rows_.size() - rows.size()) +
                 " more tensors\n"));
  std::string text;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    text += line.substr(0, size.columns - 1) + '\n';
  if (isLive && linesDrawn_ != 0)
    out_ << "\x1b[" << linesDrawn_ << "A\x1b[J"; // up, clear what is below
  out_ << text << std::flush;
  linesDrawn_ = count;
  lastDrawn_ = std::chrono::steady_clock::now();
}

} // namespace popscope::outfeed
