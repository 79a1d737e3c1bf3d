#include "graph/taps/replica_merge.hpp"

#include <gcl/Collectives.hpp>

#include <algorithm>
#include <map>

namespace popscope::graph {

namespace {

using poplar::program::Execute;
using poplar::program::Sequence;

// The rows of one tier.
struct TierRows {
  StatsTier tier;
  std::vector<std::size_t> rows; // places among all rows
  ReplicaDivision division;
};

std::vector<TierRows> byTier(const std::vector<ReplicaRow> &rows,
                             unsigned replicas) {
  std::map<StatsTier, std::vector<std::size_t>> ofTier;
  for (std::size_t i = 0; i < rows.size(); ++i)
    ofTier[rows[i].tier].push_back(i);
  std::vector<TierRows> tiers;
  for (auto &[tier, places] : ofTier) {
    const ReplicaDivision division(places.size(), rowWords(tier), replicas);
    tiers.push_back({tier, std::move(places), division});
  }
  return tiers;
}

poplar::Tensor addOnTile(poplar::Graph &graph, std::size_t words, unsigned tile,
                         const poplar::DebugContext &debugContext) {
  const poplar::Tensor tensor =
      graph.addVariable(poplar::UNSIGNED_INT, {words}, debugContext);
  graph.setTileMapping(tensor, tile);
  return tensor;
}

// What this replica sends of a row that others have as well.
poplar::Tensor addPiece(poplar::Graph &graph, const poplar::Tensor &row,
                        const ReplicaDivision &division, unsigned tile,
                        poplar::ComputeSet computeSet,
                        const poplar::DebugContext &debugContext) {
  const poplar::Tensor replica =
      graph.addReplicationIndexConstant({debugContext, "replica"});
  graph.setTileMapping(replica, tile);
  const poplar::Tensor piece =
      addOnTile(graph, division.pieceWords, tile, {debugContext, "piece"});
  const poplar::VertexRef vertex =
      graph.addVertex(computeSet, "popscope::ReplicaPiece",
                      {{"words", row}, {"replica", replica}, {"piece", piece}});
  graph.setInitialValue(vertex["pieces"], division.pieces);
  graph.setTileMapping(vertex, tile);
  graph.setPerfEstimate(vertex, 30 + 6 * division.pieceWords);
  return piece;
}

} // namespace

ReplicaDivision::ReplicaDivision(std::size_t count, std::size_t words,
                                 unsigned replicas)
    : rows((count + replicas - 1) / replicas), pieceWords(words) {
  if (rows > 1)
    return;
  const std::size_t most = std::min(replicas / count, words);
  pieceWords = (words + most - 1) / most;
  pieces = unsigned((words + pieceWords - 1) / pieceWords);
}

MergedRows mergeAcrossReplicas(poplar::Graph &graph,
                               const std::vector<ReplicaRow> &rows,
                               unsigned tile, Sequence &prog,
                               const poplar::DebugContext &debugContext) {
  const unsigned replicas = graph.getReplicationFactor();
  const std::vector<TierRows> tiers = byTier(rows, replicas);
  const poplar::Tensor noRow = graph.addConstant(
      poplar::UNSIGNED_INT, {kMaxRowWords}, 0u, {debugContext, "no_row"});
  graph.setTileMapping(noRow, tile);

  // What each replica is to merge, of what is here.
  std::vector<poplar::Tensor> here;
  for (unsigned replica = 0; replica < replicas; ++replica)
    for (const auto &[tier, ofTier, division] : tiers)
      for (std::size_t k = 0; k < division.rows; ++k) {
        const std::size_t row = division.rowAt(replica, k);
        here.push_back(row < ofTier.size() ? rows[ofTier[row]].row.flatten()
                                           : noRow.slice(0, rowWords(tier)));
      }
  const poplar::Tensor words = poplar::concat(here);
  const poplar::Tensor ofAll = gcl::allToAllCrossReplica(
      graph, words.reshape({replicas, words.numElements() / replicas}), prog,
      {debugContext, "replicas"});

  MergedRows merged;
  merged.places.resize(rows.size());
  RowMerges merges;
  poplar::ComputeSet cut = graph.addComputeSet({debugContext, "pieces"});
  bool hasPieces = false;
  std::vector<poplar::Tensor> share;
  std::size_t shareWords = 0, received = 0;
  for (const auto &[tier, ofTier, division] : tiers) {
    const std::size_t length = rowWords(tier);
    const poplar::Tensor own = addOnTile(graph, division.rows * length, tile,
                                         {debugContext, "merged_replicas"});
    for (std::size_t k = 0; k < division.rows; ++k, received += length) {
      PartialStats ofReplicas;
      ofReplicas.rows = ofAll.slice(received, received + length, 1);
      ofReplicas.tier = tier;
      merges.add(ofReplicas, own.slice(k * length, (k + 1) * length));
    }
    for (std::size_t row = 0; row < ofTier.size(); ++row) {
      MergedPlace &place = merged.places[ofTier[row]];
      place = division.placeOf(row);
      place.word += shareWords;
    }
    share.push_back(division.pieces == 1 ? own
                                         : addPiece(graph, own, division, tile,
                                                    cut, debugContext));
    hasPieces = hasPieces || division.pieces > 1;
    shareWords += division.shareWords();
  }
  merges.build(graph, prog, {debugContext, "replicas"});
  if (hasPieces)
    prog.add(Execute(cut, {debugContext, "pieces"}));
  merged.share = poplar::concat(share);
  return merged;
}

} // namespace popscope::graph
