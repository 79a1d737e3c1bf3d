#include "outfeed/sinks/epoch_table.hpp"

#include "outfeed/sinks/statistic.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

namespace popscope::outfeed {

namespace {

std::string numberText(const char *format, double value) {
  char text[64]; // the largest float has 39 digits before the point
  std::snprintf(text, sizeof text, format, value);
  return value != value ? "nan" : text;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text + " ";
}

constexpr Statistic kStatistics[] = {
    Statistic::mean, Statistic::deviation, Statistic::min,   Statistic::max,
    Statistic::nan,  Statistic::posInf,    Statistic::negInf};
constexpr std::size_t kNumbers = 4; // in front of the counts, in both tables

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

Cells headings(TableNumbers numbers) {
  if (numbers == TableNumbers::sixDecimals)
    return {"Mean", "Std", "Minimum", "Maximum", "NaNs", "infs"};
  Cells cells;
  for (const Statistic statistic : kStatistics)
    cells.emplace_back(nameOf(statistic));
  return cells;
}

Cells cellsOf(const TensorSample &sample, TableNumbers numbers) {
  Cells cells;
  if (numbers == TableNumbers::sixDigits) {
    for (const Statistic statistic : kStatistics) {
      const std::optional<double> value = valueOf(statistic, sample);
      const char *const format = cells.size() < kNumbers ? "%.6g" : "%.0f";
      cells.push_back(value ? numberText(format, *value) : "-");
    }
    return cells;
  }
  const summary::TensorStats &stats = sample.stats;
  const Reduction reduction = reduce(stats);
  for (const double value :
       {reduction.mean, reduction.deviation, reduction.min, reduction.max})
    cells.push_back(sample.payload >= Payload::stats
                        ? numberText("%.6f", value)
                        : "-"); // an alarm knows none
  for (const bool value : {stats.nan != 0, stats.posInf + stats.negInf != 0})
    cells.emplace_back(value ? "True" : "False");
  return cells;
}

std::string shapeText(std::uint64_t samples,
                      const std::vector<std::size_t> &shape) {
  std::string text = "(" + std::to_string(samples);
  for (const std::size_t dimension : shape)
    text += ", " + std::to_string(dimension);
  return text + (shape.empty() ? ",)" : ")");
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
          stats.m2};
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
  for (double *number : {&stats.min, &stats.max, &stats.mean, &stats.m2})
    *number = *next++;
  return sample;
}

} // namespace

EpochTable::EpochTable(std::vector<Queue> queues, TableNumbers numbers)
    : queues_(std::move(queues)), numbers_(numbers) {}

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

void EpochTable::print(std::ostream &out, unsigned epoch) {
  for (const Queue &queue : queues_)
    printQueue(out, queue, epoch);
  rows_.clear();
}

void EpochTable::printQueue(std::ostream &out, const Queue &queue,
                            unsigned epoch) const {
  out << '\n' << queue.title << '\n';
  std::vector<const Row *> rows;
  for (const Row &row : rows_)
    if (queue.holds(row.tap->tensor))
      rows.push_back(&row);
  // A gradient is only called after its moment if there is one of another.
  const auto nameOf = [&rows](const TensorTraits &tensor) {
    const auto same =
        std::count_if(rows.begin(), rows.end(), [&](const Row *row) {
          return row->tap->tensor.name == tensor.name;
        });
    return same > 1 ? tagOf(tensor) : tensor.name;
  };
  std::vector<std::string> names;
  std::size_t nameWidth = 0;
  for (const Row *row : rows) {
    names.push_back(nameOf(row->tap->tensor));
    nameWidth = std::max(nameWidth, names.back().size() + 5);
    out << "key: " << names.back()
        << " shape: " << shapeText(row->sample.parts, row->tap->tensor.shape)
        << '\n';
  }
  if (rows.empty()) {
    out << "No data enqueued" << std::endl;
    return;
  }
  const auto line = [&](const std::string &index, const std::string &name,
                        const Cells &cells) {
    std::string text = padded(index, 5) + padded(name, nameWidth);
    for (std::size_t c = 0; c < cells.size(); ++c)
      text += padded(cells[c], c < kNumbers ? 12 : 7);
    text.pop_back();
    out << text << '\n';
  };
  out << "Epoch " << epoch << " - Summary Stats\n";
  line("Index", "Name", headings(numbers_));
  for (std::size_t i = 0; i < rows.size(); ++i)
    line(std::to_string(i), names[i], cellsOf(rows[i]->sample, numbers_));
  out << std::flush;
}

} // namespace popscope::outfeed
