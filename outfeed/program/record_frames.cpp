#include "outfeed/program/record_frames.hpp"

#include "graph/taps/replica_merge.hpp"
#include "outfeed/frames/frame.hpp"

namespace popscope::outfeed {

void addRecordFrame(poplar::Graph &graph, TapSource &source,
                    const std::vector<FrameRow> &rows,
                    const poplar::Tensor &execution, unsigned tile,
                    poplar::program::Sequence &prog) {
  std::vector<poplar::Tensor> parts{headerOf(graph, source, execution, tile)};
  std::size_t word = kFrameHeaderWords;
  for (const FrameRow &row : rows) {
    source.records.push_back({row.tap, word, row.order});
    parts.push_back(row.words);
    word += rowWords(row.tier);
  }
  addTransfer(graph, source, poplar::concat(parts), prog, {"popscope/records"});
}

void addMergedFrame(poplar::Graph &graph, TapSource &source,
                    const std::vector<FrameRow> &rows,
                    const poplar::Tensor &execution, unsigned tile,
                    poplar::program::Sequence &prog) {
  source.isMerged = true;
  std::vector<graph::ReplicaRow> ofReplica;
  for (const FrameRow &row : rows)
    ofReplica.push_back({row.words, row.tier});
  const graph::MergedRows merged = graph::mergeAcrossReplicas(
      graph, ofReplica, tile, prog, {"popscope/merged"});
  for (std::size_t i = 0; i < rows.size(); ++i)
    source.records.push_back({rows[i].tap,
                              kFrameHeaderWords + merged.places[i].word,
                              rows[i].order, merged.places[i]});
  addTransfer(
      graph, source,
      poplar::concat(headerOf(graph, source, execution, tile), merged.share),
      prog, {"popscope/merged"});
}

} // namespace popscope::outfeed
