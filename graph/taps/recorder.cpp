#include "graph/taps/recorder.hpp"

#include <gcl/Collectives.hpp>

#include <algorithm>

namespace popscope::graph {

namespace {

using poplar::program::Execute;
using poplar::program::Sequence;

poplar::Tensor addWords(poplar::Graph &graph, std::size_t count, unsigned value,
                        unsigned tile,
                        const poplar::DebugContext &debugContext) {
  const poplar::Tensor words =
      graph.addVariable(poplar::UNSIGNED_INT, {count}, debugContext);
  graph.setTileMapping(words, tile);
  graph.setInitialValue(
      words, poplar::ArrayRef<unsigned>(std::vector<unsigned>(count, value)));
  return words;
}

} // namespace

RecorderStop addRecorderStop(poplar::Graph &graph, unsigned tile,
                             const poplar::DebugContext &debugContext) {
  return {addWords(graph, 1, kRecordsOn, tile, {debugContext, "last_update"})
              .reshape({}),
          addWords(graph, 1, 0, tile, {debugContext, "alarms"}).reshape({})};
}

std::vector<RecorderRing>
addRecorder(poplar::Graph &graph, const std::vector<RecordedRow> &rows,
            unsigned slots, const poplar::Tensor &execution,
            unsigned executionsPerUpdate, const RecorderStop &stop,
            unsigned firstTile, Sequence &prog,
            const poplar::DebugContext &debugContext) {
  const std::size_t rowBytes = slots * kRecordedWords * sizeof(unsigned);
  const std::size_t mostRows =
      std::max<std::size_t>(1, kMostRingBytes / rowBytes);
  const unsigned tiles = graph.getTarget().getNumTiles();
  const std::size_t numRings = (rows.size() + mostRows - 1) / mostRows;
  poplar::Tensor bad = graph.addVariable(poplar::UNSIGNED_INT, {numRings},
                                         {debugContext, "bad"});
  const poplar::ComputeSet record =
      graph.addComputeSet({debugContext, "record"});
  std::vector<RecorderRing> rings;
  for (std::size_t r = 0; r < numRings; ++r) {
    RecorderRing ring;
    ring.firstRow = r * mostRows;
    ring.rows = std::min(mostRows, rows.size() - ring.firstRow);
    ring.tile = unsigned((firstTile + r) % tiles);
    ring.words = addWords(graph, slots * slotWords(unsigned(ring.rows)), 0,
                          ring.tile, {debugContext, "ring"});
    graph.setTileMapping(bad[r], ring.tile);
    std::vector<poplar::Tensor> recorded;
    std::vector<unsigned> infinitiesIntended;
    for (std::size_t i = ring.firstRow; i < ring.firstRow + ring.rows; ++i) {
      recorded.push_back(rows[i].row.slice(0, kRecordedWords));
      infinitiesIntended.push_back(rows[i].infinitiesIntended);
    }
    const poplar::VertexRef vertex =
        graph.addVertex(record, "popscope::RecordRows",
                        {{"rows", poplar::concat(recorded)},
                         {"execution", execution},
                         {"lastUpdate", stop.lastUpdate},
                         {"ring", ring.words},
                         {"bad", bad[r]}});
    graph.setInitialValue(vertex["executionsPerUpdate"], executionsPerUpdate);
    graph.setInitialValue(vertex["slots"], slots);
    graph.setInitialValue(vertex["infinitiesIntended"], infinitiesIntended);
    graph.setTileMapping(vertex, ring.tile);
    graph.setPerfEstimate(vertex, 40 + (8 + kRecordedWords) * ring.rows);
    rings.push_back(std::move(ring));
  }
  prog.add(Execute(record, {debugContext, "record"}));
  if (graph.getReplicationFactor() > 1)
    gcl::allReduceInPlaceCrossReplica(graph, bad, gcl::CollectiveOperator::MAX,
                                      prog, {debugContext, "or"});

  const poplar::ComputeSet stopping =
      graph.addComputeSet({debugContext, "stop"});
  const poplar::VertexRef vertex =
      graph.addVertex(stopping, "popscope::StopRecorder",
                      {{"bad", bad},
                       {"execution", execution},
                       {"lastUpdate", stop.lastUpdate},
                       {"alarms", stop.alarms}});
  graph.setInitialValue(vertex["executionsPerUpdate"], executionsPerUpdate);
  graph.setTileMapping(vertex, firstTile);
  graph.setPerfEstimate(vertex, 20 + 3 * numRings);
  prog.add(Execute(stopping, {debugContext, "stop"}));
  return rings;
}

} // namespace popscope::graph
