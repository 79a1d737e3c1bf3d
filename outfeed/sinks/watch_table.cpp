#include "outfeed/sinks/watch_table.hpp"

#include "outfeed/element_coordinates.hpp"
#include "text/table.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <utility>

namespace popscope::outfeed {

// The first column holds the names; the others are left out from the one with
// the highest `dispensable` on, never if it is 0.
struct WatchTable::Column {
  std::string heading;
  unsigned dispensable;
  std::vector<std::string> cells;

  bool isEmpty() const {
    return std::all_of(cells.begin(), cells.end(),
                       [](const std::string &cell) { return cell == "-"; });
  }
  std::size_t width() const {
    std::size_t width = heading.size();
    for (const std::string &cell : cells)
      width = std::max(width, cell.size());
    return 2 + width; // and a gap
  }
};

namespace {

constexpr std::size_t kShortestName = 24;

std::string number(const char *format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Names differ at their ends more often than in the middle.
std::string shortened(const std::string &name, std::size_t width) {
  if (name.size() <= width)
    return name;
  const std::size_t tail = (width - 2) / 2;
  return name.substr(0, width - 2 - tail) + ".." +
         name.substr(name.size() - tail);
}

template <class Columns> std::size_t widthOf(const Columns &columns) {
  std::size_t width = 0;
  for (const auto &column : columns)
    width += column.width();
  return width;
}

// Returns the headings of the columns that had to go. The names may shrink to
// `nameWidth` to save others.
template <class Columns>
std::string dropToFit(Columns &columns, std::size_t most,
                      std::size_t nameWidth) {
  std::string dropped;
  const auto needed = [&] {
    const std::size_t name = columns.front().width();
    return widthOf(columns) - name + std::min(name, 2 + nameWidth);
  };
  while (needed() > most) {
    const auto least = std::max_element(columns.begin(), columns.end(),
                                        [](const auto &a, const auto &b) {
                                          return a.dispensable < b.dispensable;
                                        });
    if (least->dispensable == 0)
      break;
    dropped += (dropped.empty() ? "" : ", ") + least->heading;
    columns.erase(least);
  }
  return dropped;
}

template <class Columns>
std::string printed(const Columns &columns, std::size_t most) {
  std::vector<std::string> heading;
  for (const auto &column : columns)
    heading.push_back(column.heading);
  text::Table table(heading);
  for (std::size_t r = 0; r < columns.front().cells.size(); ++r) {
    std::vector<std::string> row;
    for (const auto &column : columns)
      row.push_back(column.cells[r]);
    table.add(row);
  }
  std::ostringstream out;
  table.print(out, text::Layout::aligned, most);
  return out.str();
}

} // namespace

void WatchTable::take(const Tap &tap, Update update,
                      const TensorSample &sample) {
  const summary::TensorStats &stats = sample.stats;
  const SampleOrigin origin = tap.origin.value_or(SampleOrigin());
  const Row row{&tap,
                update,
                stats.count - stats.finite(),
                stats.firstBad,
                stats.finite() != 0,
                sample.payload >= Payload::stats,
                stats.absMax,
                stats.mean,
                stats.standardDeviation(),
                stats.min,
                stats.max,
                stats.count ? 100.0 * double(stats.zero) / double(stats.count)
                            : 0.0};
  const std::lock_guard lock(mutex_);
  rows_.insert_or_assign(Key(tap.id, origin.replica, origin.microBatch), row);
}

std::vector<const WatchTable::Row *>
WatchTable::rowsThatFit(std::size_t count) const {
  const auto bad = std::size_t(
      std::count_if(rows_.begin(), rows_.end(), [](const auto &entry) {
        return entry.second.notFinite != 0;
      }));
  std::size_t others = count - std::min(count, bad);
  std::vector<const Row *> chosen;
  for (const auto &[key, row] : rows_) {
    const bool isBad = row.notFinite != 0;
    if (chosen.size() == count)
      break;
    if (!isBad && others == 0)
      continue;
    others -= !isBad;
    chosen.push_back(&row);
  }
  return chosen;
}

std::vector<WatchTable::Column>
WatchTable::columnsOf(const std::vector<const Row *> &rows) {
  std::vector<Column> columns{{"tensor", 0, {}},     {"update", 1, {}},
                              {"not finite", 0, {}}, {"first bad", 0, {}},
                              {"abs max", 0, {}},    {"mean", 3, {}},
                              {"std", 2, {}},        {"min", 5, {}},
                              {"max", 6, {}},        {"zeros %", 4, {}}};
  for (const Row *row : rows) {
    const auto known = [](bool isKnown, const char *format, double value) {
      return isKnown ? number(format, value) : "-";
    };
    const bool hasMoments = row->hasMoments && row->hasFinite;
    const std::string cells[] = {
        tagOf(*row->tap),
        std::to_string(row->update.value()),
        std::to_string(row->notFinite),
        row->notFinite != 0
            ? coordinatesText(row->firstBad, row->tap->tensor.shape)
            : "-",
        known(row->hasFinite, "%.3g", row->absMax),
        known(hasMoments, "%.3g", row->mean),
        known(hasMoments, "%.3g", row->deviation),
        known(hasMoments, "%.3g", row->min),
        known(hasMoments, "%.3g", row->max),
        known(row->hasMoments, "%.1f", row->zeroPercent)};
    for (std::size_t c = 0; c < columns.size(); ++c)
      columns[c].cells.push_back(cells[c]);
  }
  columns.erase(
      std::remove_if(columns.begin(), columns.end(),
                     [](const Column &column) { return column.isEmpty(); }),
      columns.end());
  return columns;
}

std::vector<std::string>
WatchTable::lines(const text::TerminalSize &size) const {
  const std::lock_guard lock(mutex_);
  if (rows_.empty() || size.rows < 2)
    return {};
  std::size_t room = size.rows - 1; // below the heading
  if (rows_.size() > room)
    --room; // for the line that says how many there are
  const auto rows = rowsThatFit(std::min(room, rows_.size()));
  std::vector<std::string> result;
  if (!rows.empty()) {
    std::vector<Column> columns = columnsOf(rows);
    dropToFit(columns, size.columns, kShortestName);
    Column &names = columns.front();
    const std::size_t others = widthOf(columns) - names.width();
    const std::size_t width = size.columns - std::min(size.columns, others + 2);
    for (std::string &name : names.cells)
      name = shortened(name, std::max(kShortestName, width));
    std::istringstream text(printed(columns, std::string::npos));
    for (std::string line; std::getline(text, line);)
      result.push_back(line.substr(0, size.columns));
  }
  if (rows.size() < rows_.size())
    result.push_back(std::string("  and " +
                                 std::to_string(rows_.size() - rows.size()) +
                                 " more tensors")
                         .substr(0, size.columns));
  return result;
}

void WatchTable::print(std::ostream &out, std::size_t columns) const {
  const std::lock_guard lock(mutex_);
  if (rows_.empty())
    return;
  std::vector<Column> table = columnsOf(rowsThatFit(rows_.size()));
  const std::string dropped = dropToFit(table, columns, kShortestName);
  out << '\n' << printed(table, columns);
  if (!dropped.empty())
    out << "  too narrow for: " << dropped << '\n';
  out << std::flush;
}

} // namespace popscope::outfeed
