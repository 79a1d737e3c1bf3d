#include "outfeed/sinks/epoch_table.hpp"

#include "outfeed/sinks/statistic.hpp"
#include "text/number_text.hpp"
#include "text/table.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

namespace popscope::outfeed {

namespace {

std::string numberText(double value) {
  char text[64]; // the largest float has 39 digits before the point
  std::snprintf(text, sizeof text, "%.6f", value);
  return value != value ? "nan" : text;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text + " ";
}

// As NumPy reduces the data, where what is not finite spreads.
struct Reduction {
  double mean, deviation, min, max;
};

Reduction reduce(const summary::TensorStats &stats) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (stats.nan != 0)
    return {kNaN, kNaN, kNaN, kNaN};
  if (stats.posInf + stats.negInf == 0)
    return {stats.mean, stats.standardDeviation(), stats.min, stats.max};
  const double mean = stats.posInf != 0 && stats.negInf != 0 ? kNaN
                      : stats.posInf != 0                    ? kInf
                                                             : -kInf;
  return {mean, kNaN, stats.negInf != 0 ? -kInf : stats.min,
          stats.posInf != 0 ? kInf : stats.max};
}

using Cells = std::vector<std::string>;

Cells tutorialCells(const TensorSample &sample) {
  Cells cells;
  const summary::TensorStats &stats = sample.stats;
  const Reduction reduction = reduce(stats);
  for (const double value :
       {reduction.mean, reduction.deviation, reduction.min, reduction.max})
    cells.push_back(sample.payload >= Payload::stats
                        ? numberText(value)
                        : "-"); // an alarm knows none
  for (const bool value : {stats.nan != 0, stats.posInf + stats.negInf != 0})
    cells.emplace_back(value ? "True" : "False");
  return cells;
}

std::string keyOf(const TensorTraits &tensor) {
  return tensor.name + "@" + nameOf(tensor.moment);
}

// Counts below 2^53 are exact as double.
std::vector<double> numbersOf(const TensorSample &sample) {
  const summary::TensorStats &stats = sample.stats;
  return {double(sample.payload),
          double(sample.parts),
          double(stats.format),
          double(stats.count),
          double(stats.nan),
          double(stats.posInf),
          double(stats.negInf),
          stats.min,
          stats.max,
          stats.mean,
          stats.m2,
          stats.absMax};
}

TensorSample sampleOf(const std::vector<double> &numbers) {
  TensorSample sample;
  summary::TensorStats &stats = sample.stats;
  auto next = numbers.begin();
  sample.payload = Payload(int(*next++));
  sample.parts = std::uint64_t(*next++);
  stats.format = summary::FloatFormat(int(*next++));
  for (std::uint64_t *count :
       {&stats.count, &stats.nan, &stats.posInf, &stats.negInf})
    *count = std::uint64_t(*next++);
  for (double *number :
       {&stats.min, &stats.max, &stats.mean, &stats.m2, &stats.absMax})
    *number = *next++;
  return sample;
}

// A gradient is only called after its moment if there is one of another.
std::string nameIn(const std::vector<const EpochTable::Row *> &rows,
                   const TensorTraits &tensor) {
  const auto same =
      std::count_if(rows.begin(), rows.end(), [&](const EpochTable::Row *row) {
        return row->tap->tensor.name == tensor.name;
      });
  return same > 1 ? tagOf(tensor) : tensor.name;
}

std::string joined(const std::vector<std::size_t> &shape, const char *between) {
  std::string text;
  for (const std::size_t dimension : shape)
    text += (text.empty() ? "" : between) + std::to_string(dimension);
  return text;
}

std::string tutorialShape(const EpochTable::Row &row) {
  const std::vector<std::size_t> &shape = row.tap->tensor.shape;
  return "(" + std::to_string(row.sample.parts) +
         (shape.empty() ? ",)" : ", " + joined(shape, ", ") + ")");
}

void printTutorialTable(std::ostream &out,
                        const std::vector<const EpochTable::Row *> &rows,
                        unsigned epoch) {
  std::vector<std::string> names;
  std::size_t nameWidth = 0;
  for (const EpochTable::Row *row : rows) {
    names.push_back(nameIn(rows, row->tap->tensor));
    nameWidth = std::max(nameWidth, names.back().size() + 5);
    out << "key: " << names.back() << " shape: " << tutorialShape(*row) << '\n';
  }
  const auto line = [&](const std::string &index, const std::string &name,
                        const Cells &cells) {
    constexpr std::size_t kNumbers = 4; // in front of the others
    std::string text = padded(index, 5) + padded(name, nameWidth);
    for (std::size_t c = 0; c < cells.size(); ++c)
      text += padded(cells[c], c < kNumbers ? 12 : 7);
    text.pop_back();
    out << text << '\n';
  };
  out << "Epoch " << epoch << " - Summary Stats\n";
  line("Index", "Name", {"Mean", "Std", "Minimum", "Maximum", "NaNs", "infs"});
  for (std::size_t i = 0; i < rows.size(); ++i)
    line(std::to_string(i), names[i], tutorialCells(rows[i]->sample));
}

// Of the statistics, those that are known of a tensor; the numbers of what is
// not finite only if there is any.
std::vector<Statistic>
statisticsOf(const std::vector<const EpochTable::Row *> &rows) {
  std::vector<Statistic> statistics;
  const auto addIf = [&](Statistic statistic, const auto &isWorthIt) {
    if (std::any_of(rows.begin(), rows.end(), isWorthIt))
      statistics.push_back(statistic);
  };
  for (const Statistic statistic :
       {Statistic::mean, Statistic::deviation, Statistic::min, Statistic::max})
    addIf(statistic, [&](const EpochTable::Row *row) {
      return valueOf(statistic, row->sample).has_value();
    });
  addIf(Statistic::absMax, [](const EpochTable::Row *row) {
    return row->sample.payload == Payload::alarm; // which has no other
  });
  for (const Statistic statistic :
       {Statistic::nan, Statistic::posInf, Statistic::negInf})
    addIf(statistic, [&](const EpochTable::Row *row) {
      return valueOf(statistic, row->sample).value_or(0) != 0;
    });
  return statistics;
}

void printFittedTable(std::ostream &out,
                      const std::vector<const EpochTable::Row *> &rows,
                      std::size_t columns) {
  const std::vector<Statistic> statistics = statisticsOf(rows);
  Cells heading{"tensor", "shape", "samples"};
  for (const Statistic statistic : statistics)
    heading.emplace_back(nameOf(statistic));
  text::Table table(heading);
  for (const EpochTable::Row *row : rows) {
    const TensorTraits &tensor = row->tap->tensor;
    Cells cells{nameIn(rows, tensor),
                tensor.shape.empty() ? "1" : joined(tensor.shape, "x"),
                text::countText(row->sample.parts)};
    for (const Statistic statistic : statistics) {
      const std::optional<double> value = valueOf(statistic, row->sample);
      constexpr int kDigits = 4;
      const bool isCount = statistic == Statistic::nan ||
                           statistic == Statistic::posInf ||
                           statistic == Statistic::negInf;
      cells.push_back(!value    ? "-"
                      : isCount ? text::withThousands(*value)
                                : text::significant(*value, kDigits));
    }
    table.add(cells);
  }
  table.dropToFit(columns, {"shape", "samples"});
  table.print(out, text::Layout::aligned, columns);
}

} // namespace

EpochTable::EpochTable(std::vector<Queue> queues, TableForm form)
    : queues_(std::move(queues)), form_(form) {}

void EpochTable::take(const Tap &tap, Update, const TensorSample &sample) {
  const auto known =
      std::find_if(rows_.begin(), rows_.end(),
                   [&](const Row &row) { return row.tap->id == tap.id; });
  if (known != rows_.end()) {
    known->sample.merge(sample);
    return;
  }
  const auto later =
      std::find_if(rows_.begin(), rows_.end(),
                   [&](const Row &row) { return row.tap->id > tap.id; });
  rows_.insert(later, {&tap, sample});
}

std::vector<EpochTable::SavedRow> EpochTable::save() const {
  std::vector<SavedRow> saved;
  for (const Row &row : rows_)
    saved.push_back({keyOf(row.tap->tensor), numbersOf(row.sample)});
  return saved;
}

void EpochTable::restore(const std::deque<Tap> &taps,
                         const std::vector<SavedRow> &saved) {
  const std::size_t numbers = numbersOf({}).size();
  for (const Tap &tap : taps)
    for (const SavedRow &row : saved)
      if (row.tensor == keyOf(tap.tensor) && row.numbers.size() == numbers)
        take(tap, Update(0), sampleOf(row.numbers));
}

void EpochTable::print(std::ostream &out, unsigned epoch, std::size_t columns) {
  const bool isTutorial = form_ == TableForm::tutorial;
  for (const Queue &queue : queues_) {
    out << '\n' << queue.title;
    if (!isTutorial)
      out << " in epoch " << epoch;
    out << '\n';
    std::vector<const Row *> rows;
    for (const Row &row : rows_)
      if (queue.holds(row.tap->tensor))
        rows.push_back(&row);
    if (rows.empty())
      out << (isTutorial ? "No data enqueued\n" : "  no tap was due\n");
    else if (isTutorial)
      printTutorialTable(out, rows, epoch);
    else
      printFittedTable(out, rows, columns);
    out << std::flush;
  }
  rows_.clear();
}

} // namespace popscope::outfeed
