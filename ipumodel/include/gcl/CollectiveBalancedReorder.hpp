// Layouts of tensors that are divided between replicas, so that each has an
// equal part of what is on each tile.
#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gcl {

// The order of elements in host memory. The gathered tensor is the parts of all
// replicas, one after the other, with elements that belong to none in between.
class CollectiveBalancedHostRearrangement {
public:
  unsigned getReplicationFactor() const { return replicationFactor; }
  void setReplicationFactor(unsigned factor) { replicationFactor = factor; }
  std::size_t getTotalElementsPerReplica() const {
    return totalElementsPerReplica;
  }
  void setTotalElementsPerReplica(std::size_t elements) {
    totalElementsPerReplica = elements;
  }
  const std::vector<poplar::Interval> &getGatheredToRefSlices() const {
    return gatheredToRefSlices;
  }
  void setGatheredToRefSlices(std::vector<poplar::Interval> slices) {
    gatheredToRefSlices = std::move(slices);
  }

  // Of the gathered tensor.
  std::size_t getNumRearrangedTensorElems() const;

  // From the reference's order to that of the gathered tensor, of which other
  // elements are not written, and back.
  void rearrangeForCollective(const char *in, char *out,
                              std::int64_t elemByteSize) const;
  void undoRearrangeForCollective(const char *in, char *out,
                                  std::int64_t elemByteSize) const;

  unsigned replicationFactor = 0;
  std::size_t totalElementsPerReplica = 0;
  // The parts of the gathered tensor that make the reference, in its order.
  std::vector<poplar::Interval> gatheredToRefSlices;
};

class CollectiveBalancedReorder {
public:
  // The reference must be mapped to tiles. The part of each tile is a multiple
  // of `grainSize` elements. `allowElementMap` has no effect. The graph must
  // outlive this. Throws poputil::poplibs_error.
  CollectiveBalancedReorder(poplar::Graph &graph, poplar::Tensor tensor,
                            unsigned replicationFactor,
                            const poplar::DebugNameAndId &dnai,
                            bool allowElementMap = false,
                            unsigned grainSize = 1);

  // The part of one replica, [elements].
  poplar::Tensor createReplicaSlice(const poplar::Type &type);
  // The parts of all, [replicas, elements].
  poplar::Tensor createCollectivesTensor(const poplar::Type &type,
                                         const std::string &debugPrefix);
  // A view of a gathered tensor of any shape, with the shape and order of the
  // reference.
  poplar::Tensor undoRearrangeForCollective(const poplar::Tensor &tensor) const;

  const CollectiveBalancedHostRearrangement &getHostRearrangement() const {
    return hostRearrangement;
  }
  std::vector<std::size_t> getReferenceShape() const { return referenceShape; }

private:
  poplar::Graph &graph;
  poplar::DebugNameAndId dnai;
  std::vector<std::size_t> referenceShape;
  std::vector<std::size_t> elementsPerTile; // of one replica
  CollectiveBalancedHostRearrangement hostRearrangement;
};

} // namespace gcl
