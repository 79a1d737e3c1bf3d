#include "outfeed/program/recorder_program.hpp"

#include <algorithm>
#include <utility>

namespace popscope::outfeed {

namespace {

const char *const kDebugName = "popscope/recorder";

} // namespace

RecorderProgram::RecorderProgram(RecorderOptions options, std::string handle)
    : options_(std::move(options)), stopHandle_(std::move(handle)) {}

std::size_t RecorderProgram::bytesOfATile() const {
  std::size_t most = 0;
  for (const auto &[tile, bytes] : bytes_)
    most = std::max(most, bytes);
  return most;
}

graph::RecorderStop RecorderProgram::stop(poplar::Graph &graph,
                                          TileTurn &tiles) {
  if (!stop_) {
    stop_ = graph::addRecorderStop(graph, tiles.next(graph), {kDebugName});
    graph.createHostWrite(stopHandle_, stop_->lastUpdate);
  }
  return *stop_;
}

void RecorderProgram::add(poplar::Graph &graph, const std::vector<Row> &rows,
                          const Unit &unit, TileTurn &tiles,
                          poplar::program::Sequence &prog) {
  std::vector<graph::RecordedRow> recorded;
  for (const Row &row : rows)
    recorded.push_back(
        {row.row, std::any_of(options_.infinitiesIntended.begin(),
                              options_.infinitiesIntended.end(),
                              [&](const TensorFilter &filter) {
                                return filter.matches(row.recordedAs.tensor);
                              })});
  const unsigned slots = options_.updates * unit.executionsPerUpdate;
  const unsigned firstTile = tiles.next(graph);
  const std::vector<graph::RecorderRing> rings = graph::addRecorder(
      graph, recorded, slots, unit.execution, unit.executionsPerUpdate,
      stop(graph, tiles), firstTile, prog, {kDebugName});
  for (const graph::RecorderRing &ring : rings) {
    TapRing tapRing{stopHandle_ + "/" + std::to_string(rings_.size()),
                    slots,
                    unit.moment,
                    {}};
    for (std::size_t r = 0; r < ring.rows; ++r) {
      const Row &row = rows[ring.firstRow + r];
      tapRing.records.push_back(
          {row.recordedAs.id, slotWords(unsigned(r)), row.order});
    }
    graph.createHostRead(tapRing.handle, ring.words);
    rings_.push_back(std::move(tapRing));
    bytes_[ring.tile] += ring.bytes();
    tiles.goOnAfter(ring.tile);
  }
}

} // namespace popscope::outfeed
