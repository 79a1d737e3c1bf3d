#include "outfeed/sinks/health_count.hpp"

namespace popscope::outfeed {

void HealthCount::take(const Tap &tap, Update update,
                       const TensorSample &sample) {
  Row &row = rows_[tap.id];
  if (row.tag.empty())
    row.tag = tagOf(tap.tensor);
  const summary::TensorStats &stats = sample.stats;
  const std::uint64_t infinite = stats.posInf + stats.negInf;
  ++row.samples;
  row.nan += stats.nan;
  row.infinite += infinite;
  row.saturated += stats.saturated;
  if (!row.firstBad && stats.nan + infinite + stats.saturated != 0)
    row.firstBad = update;
  if (sample.hasShape() && stats.finite() != 0)
    row.magnitudes.add(histogramOf(sample));
}

std::vector<HealthCount::Row> HealthCount::rows() const {
  std::vector<Row> rows;
  for (const auto &[id, row] : rows_)
    rows.push_back(row);
  return rows;
}

} // namespace popscope::outfeed
