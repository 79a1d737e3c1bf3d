#include "outfeed/sinks/watch_table.hpp"

#include "outfeed/element_coordinates.hpp"
#include "outfeed/sinks/statistic.hpp"
#include "text/table.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
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

struct StatisticColumn {
  Statistic statistic;
  unsigned dispensable;
  const char *format;
  bool ifAny = false; // shows no zeros
};

constexpr StatisticColumn kColumns[] = {
    {Statistic::nan, 0, "%.0f"},          {Statistic::posInf, 0, "%.0f", true},
    {Statistic::negInf, 0, "%.0f", true}, // then the first bad element
    {Statistic::absMax, 0, "%.3g"},       {Statistic::mean, 3, "%.3g"},
    {Statistic::deviation, 2, "%.3g"},    {Statistic::min, 5, "%.3g"},
    {Statistic::max, 6, "%.3g"},          {Statistic::zeroShare, 4, "%.3f"}};

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
  Row row{&tap, update, stats.count - stats.finite(), stats.firstBad, {}};
  for (const StatisticColumn &column : kColumns)
    row.values.push_back(valueOf(column.statistic, sample));
  const std::lock_guard lock(mutex_);
  rows_.insert_or_assign(Key(tap.id, origin.replica, origin.microBatch),
                         std::move(row));
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
  Column tensor{"tensor", 0, {}}, update{"update", 1, {}},
      firstBad{"first_bad", 0, {}};
  for (const Row *row : rows) {
    tensor.cells.push_back(tagOf(*row->tap));
    update.cells.push_back(std::to_string(row->update.value()));
    firstBad.cells.push_back(
        row->notFinite != 0
            ? coordinatesText(row->firstBad, row->tap->tensor.shape)
            : "-");
  }
  std::vector<Column> columns{std::move(tensor), std::move(update)};
  for (std::size_t c = 0; c < std::size(kColumns); ++c) {
    const StatisticColumn &shown = kColumns[c];
    Column column{nameOf(shown.statistic), shown.dispensable, {}};
    for (const Row *row : rows) {
      const std::optional<double> &value = row->values[c];
      column.cells.push_back(!value || (shown.ifAny && *value == 0)
                                 ? "-"
                                 : number(shown.format, *value));
    }
    columns.push_back(std::move(column));
    if (shown.statistic == Statistic::negInf)
      columns.push_back(std::move(firstBad));
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
