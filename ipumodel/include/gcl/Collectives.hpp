// Operations over the replicas of a graph, or over the IPUs of one.
//
// Pass the top-level graph, also for tensors of its virtual graphs. Replicas
// are combined in the order of their indices, so the results are the same in
// every run and on all replicas. Types are HALF (summed in FLOAT and rounded
// once), FLOAT, INT and UNSIGNED_INT; BOOL for the logical operators.
//
// The option `method` (auto, broadcast, clockwise_ring, anticlockwise_ring,
// bidirectional_ring_pair, meet_in_middle_ring or quad_directional_ring) is
// checked but changes no result. Misuse throws poputil::poplibs_error.
#pragma once

#include <gcl/TileAllocation.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <iosfwd>
#include <vector>

namespace gcl {

// LOCAL returns each replica's own value. SQUARE_ADD adds squares. MEAN is for
// HALF and FLOAT.
enum class CollectiveOperator {
  ADD,
  MEAN,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND,
  LOGICAL_OR,
  SQUARE_ADD,
  LOCAL
};

// As the names of the enumerators. Any other name throws.
std::istream &operator>>(std::istream &is, CollectiveOperator &op);
std::ostream &operator<<(std::ostream &os, const CollectiveOperator &op);

// How N replicas are divided into groups of k. ALL: one group, k is ignored.
// CONSECUTIVE: 0, 1, ..., k-1; k, ..., 2k-1; and so on, or members s apart for
// a replica stride of s. ORTHOGONAL: 0, N/k, 2N/k, ...; 1, N/k + 1, ...; and so
// on.
enum class CommGroupType { ALL, CONSECUTIVE, ORTHOGONAL };

struct CommGroup {
  CommGroup() = default;
  CommGroup(const CommGroupType groupType, unsigned groupSize,
            unsigned replicaStride = 1)
      : type(groupType), replicaGroupSize(groupSize),
        replicaGroupStride(replicaStride) {}

  CommGroupType type = CommGroupType::ALL;
  unsigned replicaGroupSize = 0;
  unsigned replicaGroupStride = 1;
};

// Combines the members' data; every member of a group gets the result.
poplar::Tensor
allReduceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                      CollectiveOperator op, poplar::program::Sequence &prog,
                      const CommGroup &group,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
poplar::Tensor
allReduceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                      CollectiveOperator op, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
std::vector<poplar::Tensor> allReduceCrossReplica(
    poplar::Graph &graph, const std::vector<poplar::Tensor> &datas,
    CollectiveOperator op, poplar::program::Sequence &prog,
    const CommGroup &group, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
std::vector<poplar::Tensor>
allReduceCrossReplica(poplar::Graph &graph,
                      const std::vector<poplar::Tensor> &datas,
                      CollectiveOperator op, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

// The tensors must be parallel writeable.
void allReduceInPlaceCrossReplica(poplar::Graph &graph, poplar::Tensor &data,
                                  CollectiveOperator op,
                                  poplar::program::Sequence &prog,
                                  const CommGroup &group,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
void allReduceInPlaceCrossReplica(poplar::Graph &graph, poplar::Tensor &data,
                                  CollectiveOperator op,
                                  poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
void allReduceInPlaceCrossReplica(poplar::Graph &graph,
                                  std::vector<poplar::Tensor> &datas,
                                  CollectiveOperator op,
                                  poplar::program::Sequence &prog,
                                  const CommGroup &group,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
void allReduceInPlaceCrossReplica(poplar::Graph &graph,
                                  std::vector<poplar::Tensor> &datas,
                                  CollectiveOperator op,
                                  poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});

// `destination` has the shape and type of `data` and must be parallel
// writeable.
void allReduceToDestinationCrossReplica(
    poplar::Graph &graph, const poplar::Tensor &data,
    poplar::Tensor &destination, CollectiveOperator op,
    poplar::program::Sequence &prog, const CommGroup &group,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
void allReduceToDestinationCrossReplica(
    poplar::Graph &graph, const poplar::Tensor &data,
    poplar::Tensor &destination, CollectiveOperator op,
    poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});

// Combines the members' vectors and gives each member a part of the result:
// ceil(n / k) elements, padded with zeros.
poplar::Tensor reduceScatterCrossReplica(
    poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
    poplar::program::Sequence &prog, const CommGroup &group,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
poplar::Tensor
reduceScatterCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                          CollectiveOperator op,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {});

// `destination` is a vector of that many elements of the type of `data`, and
// must be parallel writeable.
void reduceScatterToDestinationCrossReplica(
    poplar::Graph &graph, const poplar::Tensor &data,
    const poplar::Tensor &destination, CollectiveOperator op,
    poplar::program::Sequence &prog, const CommGroup &group,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
void reduceScatterToDestinationCrossReplica(
    poplar::Graph &graph, const poplar::Tensor &data,
    const poplar::Tensor &destination, CollectiveOperator op,
    poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
void reduceScatterToDestinationCrossReplica(
    poplar::Graph &graph, const std::vector<poplar::Tensor> &datas,
    const std::vector<poplar::Tensor> &destinations, CollectiveOperator op,
    poplar::program::Sequence &prog, const CommGroup &group,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
void reduceScatterToDestinationCrossReplica(
    poplar::Graph &graph, const std::vector<poplar::Tensor> &datas,
    const std::vector<poplar::Tensor> &destinations, CollectiveOperator op,
    poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});

// Every member gets all members' data, along a new first dimension. Any type.
poplar::Tensor
allGatherCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                      poplar::program::Sequence &prog, const CommGroup &group,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
poplar::Tensor
allGatherCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

// data[i] is sent to the i-th member, which receives it at the sender's index.
// The first dimension is the number of members. Any type.
poplar::Tensor
allToAllCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                     poplar::program::Sequence &prog, const CommGroup &group,
                     const poplar::DebugContext &debugContext = {},
                     const poplar::OptionFlags &options = {});
poplar::Tensor
allToAllCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                     poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext = {},
                     const poplar::OptionFlags &options = {});

// Combines the rows of a matrix, row i of which is on IPU i. Every row of the
// result holds the combination.
poplar::Tensor
allReduceWithinReplica(poplar::Graph &graph, const poplar::Tensor &toReduce,
                       CollectiveOperator op, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {});

} // namespace gcl
