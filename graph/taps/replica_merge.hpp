// Rows of all replicas, merged where they are: each replica has a share of the
// merged rows, so that together they have little more than one of them had
// before.
#pragma once

#include "graph/taps/device_stats.hpp"

#include <cstddef>
#include <vector>

namespace popscope::graph {

struct ReplicaRow {
  poplar::Tensor row; // UNSIGNED_INT [rowWords(tier)], of this replica
  StatsTier tier = StatsTier::stats;
};

// Where a merged row is: divided evenly among replicas that follow each other,
// at the same place of their shares.
struct MergedPlace {
  unsigned firstReplica = 0, pieces = 1;
  std::size_t word = 0;       // in a share
  std::size_t pieceWords = 0; // the last piece may have fewer
};

// Of rows with `words` words each, `count` of them: how they are divided among
// replicas. Less than half of what all have is not used, unless a row is
// shorter than a word for each.
struct ReplicaDivision {
  ReplicaDivision(std::size_t count, std::size_t words, unsigned replicas);

  std::size_t rows = 0; // of a replica
  unsigned pieces = 1;  // of a row; more than one only if `rows` is 1
  std::size_t pieceWords = 0;

  std::size_t shareWords() const { return rows * pieceWords; }
  MergedPlace placeOf(std::size_t row) const {
    return {unsigned(row / rows) * pieces, pieces, row % rows * pieceWords,
            pieceWords};
  }
  // The row that is the k-th of a replica, if there is one.
  std::size_t rowAt(unsigned replica, std::size_t k) const {
    return replica / pieces * rows + k;
  }
};

struct MergedRows {
  // UNSIGNED_INT, flat, of the same size on every replica.
  poplar::Tensor share;
  std::vector<MergedPlace> places; // of each of the rows, in their order
};

// Appends the exchange and the merge, in ascending order of the replicas; all
// replicas must come here together. Counts have to stay below 2^32. The shares
// are on `tile`.
MergedRows mergeAcrossReplicas(poplar::Graph &graph,
                               const std::vector<ReplicaRow> &rows,
                               unsigned tile, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
