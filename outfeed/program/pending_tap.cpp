#include "outfeed/program/pending_tap.hpp"

#include "graph/taps/stats_vertices.hpp"
#include "outfeed/program/recorder_program.hpp"

#include <algorithm>

namespace popscope::outfeed {

namespace {

// A condition has a state, so a masked tap that has one is always judged by
// itself.
bool areAlike(const PendingTap &a, const PendingTap &b) {
  if (&a == &b)
    return true;
  const Tap &x = *a.tap, &y = *b.tap;
  return a.schedule() == b.schedule() && a.isMasked() == b.isMasked() &&
         (!a.isMasked() || x.id == y.id ||
          (TapPlan::isAlarm(x.id) == TapPlan::isAlarm(y.id) &&
           x.rule == y.rule && !x.condition && !y.condition));
}

} // namespace

StatsTier PendingTap::tier() const {
  if (onlyRecorded)
    return kRecordedTier;
  const StatsTier sent = tierOf(*tap);
  return recordedAs ? std::max(sent, kRecordedTier) : sent;
}

UpdateSchedule PendingTap::schedule() const {
  return recordedAs ? UpdateSchedule() : tap->schedule;
}

void PendingTap::addStats(poplar::Graph &graph, const poplar::Tensor &tensor,
                          poplar::ComputeSet &computeSet) {
  stats = graph::addPartialStats(graph, tensor, tier(), computeSet,
                                 {"popscope/" + tap->tensor.name});
  if (!onlyRecorded)
    tap->bytes = sentBytes(*tap);
  // What is recorded besides is added.
  const std::size_t before = onlyRecorded ? 1 : 0;
  tap->tileBytes = before * tap->tileBytes +
                   stats.rowsOfATile * rowWords(tier()) * sizeof(unsigned);
  tap->cycles = before * tap->cycles +
                graph::tileStatsCycles(stats.largestPart, 1, tier());
}

std::size_t sentBytes(const Tap &tap) {
  return tap.payload == Payload::full
             ? tap.tensor.bytes()
             : rowWords(tierOf(tap.payload)) * sizeof(unsigned);
}

std::vector<std::vector<PendingTap *>>
groupsOfAlike(std::vector<PendingTap> &taps) {
  std::vector<std::vector<PendingTap *>> groups;
  std::vector<PendingTap *> left;
  for (PendingTap &tap : taps)
    left.push_back(&tap);
  while (!left.empty()) {
    const PendingTap &first = *left.front();
    const auto rest = std::stable_partition(
        left.begin(), left.end(),
        [&](const PendingTap *tap) { return areAlike(*tap, first); });
    groups.emplace_back(left.begin(), rest);
    left.erase(left.begin(), rest);
  }
  return groups;
}

void addRows(poplar::Graph &graph, const std::vector<PendingTap *> &group,
             unsigned tile, poplar::program::Sequence &prog) {
  std::vector<PendingTap *> own; // which have rows to merge
  std::size_t words = 0;
  for (PendingTap *pending : group)
    if (!pending->sharedWith && !pending->row.valid()) {
      own.push_back(pending);
      words += rowWords(pending->stats.tier);
    }
  const poplar::Tensor rows =
      graph.addVariable(poplar::UNSIGNED_INT, {words}, {"popscope/records"});
  graph.setTileMapping(rows, tile);
  graph::RowMerges merges;
  std::size_t begin = 0;
  for (PendingTap *pending : own) {
    const std::size_t end = begin + rowWords(pending->stats.tier);
    pending->row = rows.slice(begin, end);
    merges.add(pending->stats, pending->row);
    begin = end;
  }
  merges.build(graph, prog, {"popscope/rows"});
}

} // namespace popscope::outfeed
