// Slices whose position is known only when the program runs: reading and
// writing one, or many of the same size.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poputil/DebugInfo.hpp>

#include <cstddef>
#include <memory>
#include <ostream>
#include <vector>

namespace popops {

// Slices are taken along `dims`, with the sizes given in `sizes`; in the other
// dimensions they cover the whole tensor. A slice wraps around at the end of a
// dimension. If its offset is outside the tensor, a slice is not written and an
// update is ignored, unless an option is set:
//   remapOutOfBoundIndices  the offset is taken as 0
//   paddingIndexUsed        the slice is zero
// Offsets are UNSIGNED_INT.

class SlicePlanInternal;

// How many slices are processed at once. Plans for the same problem are equal;
// a default-constructed one means no plan.
class SlicePlan {
public:
  SlicePlan();
  ~SlicePlan();
  SlicePlan(const SlicePlan &other);
  SlicePlan(SlicePlan &&other);
  SlicePlan &operator=(const SlicePlan &other);
  SlicePlan &operator=(SlicePlan &&other);

  friend std::ostream &operator<<(std::ostream &o, const SlicePlan &p);
  friend bool operator<(const SlicePlan &a, const SlicePlan &b) noexcept;
  friend bool operator==(const SlicePlan &a, const SlicePlan &b) noexcept;

  SlicePlan(std::unique_ptr<SlicePlanInternal> internal);
  SlicePlanInternal &getImpl() const { return *internal; }

private:
  std::unique_ptr<SlicePlanInternal> internal;
};
bool operator<(const SlicePlan &a, const SlicePlan &b) noexcept;
bool operator==(const SlicePlan &a, const SlicePlan &b) noexcept;
bool operator!=(const SlicePlan &a, const SlicePlan &b) noexcept;

// A tensor to take slices from. Without a plan, each slice is spread over as
// many tiles as possible, with at least minGrainSize elements on each; slices
// at all offsets are spread alike, so that taking one moves nothing between
// tiles.
poplar::Tensor createSliceableTensor(
    poplar::Graph &graph, const poplar::Type &type,
    const std::vector<size_t> &shape, const std::vector<size_t> &dims,
    const std::vector<size_t> &sizes, std::size_t minGrainSize = 0,
    const poplar::DebugContext &debugContext = {});
poplar::Tensor
createSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                      const std::vector<size_t> &shape,
                      const std::vector<size_t> &dims,
                      const std::vector<size_t> &sizes, const SlicePlan &plan,
                      const poplar::OptionFlags &options,
                      const poplar::DebugContext &debugContext = {});
// Like `s`, but numSlices times larger in each of the dims. Each slice has the
// tile mapping of `s`.
poplar::Tensor
createSliceableTensorFromSlice(poplar::Graph &graph, const poplar::Tensor &s,
                               const std::vector<std::size_t> &dims,
                               const std::vector<std::size_t> &numSlices,
                               const poplar::DebugContext &debugContext = {});

// Slices of a tensor, [numIndices, slice...].
poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Tensor &t,
                                 const std::vector<size_t> &dims,
                                 const std::vector<size_t> &sizes,
                                 std::size_t numIndices,
                                 const poplar::DebugContext &debugContext = {});
poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &shape,
                                 const std::vector<std::size_t> &dims,
                                 const std::vector<std::size_t> &sizes,
                                 std::size_t numIndices, const SlicePlan &plan,
                                 const poplar::OptionFlags &options,
                                 const poplar::DebugContext &debugContext = {});

// Offsets of slices, UNSIGNED_INT [numIndices, dims.size()].
poplar::Tensor
createIndicesTensor(poplar::Graph &graph, const std::vector<std::size_t> &dims,
                    std::size_t numIndices, const SlicePlan &plan,
                    const poplar::OptionFlags &options,
                    const poplar::DebugContext &debugContext = {});

// One slice. The offset has one element per entry of dims, or a row of equal
// elements. The result has the rank of `t`; without dims it is `t`.
poplar::Tensor dynamicSlice(poplar::Graph &graph, const poplar::Tensor &t,
                            const poplar::Tensor &offset,
                            const std::vector<std::size_t> &dims,
                            const std::vector<std::size_t> &sizes,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {});
poplar::Tensor createDynamicSliceOutput(
    poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &offset,
    const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
void dynamicSliceWithOutput(poplar::Graph &graph, const poplar::Tensor &output,
                            const poplar::Tensor &t,
                            const poplar::Tensor &offset,
                            const std::vector<std::size_t> &dims,
                            const std::vector<std::size_t> &sizes,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {});
// The tile mapping of the tensor dynamicSlice returns.
poplar::Graph::TileToTensorMapping
getSliceMapping(poplar::Graph &graph, const poplar::Tensor &t,
                const std::vector<std::size_t> &dims,
                const std::vector<std::size_t> &sizes);

// Writes `s` to a slice of `t`.
void dynamicUpdate(poplar::Graph &graph, const poplar::Tensor &t,
                   const poplar::Tensor &s, const poplar::Tensor &offset,
                   const std::vector<std::size_t> &dims,
                   const std::vector<std::size_t> &sizes,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});

// Many slices: offsets [n, dims.size()], result [n, slice...].
poplar::Tensor multiSlice(poplar::Graph &graph, const poplar::Tensor &t,
                          const poplar::Tensor &offsets,
                          const std::vector<std::size_t> &dims,
                          const std::vector<std::size_t> &sizes,
                          poplar::program::Sequence &prog,
                          const SlicePlan &plan,
                          const poplar::OptionFlags &options,
                          const poplar::DebugContext &debugContext = {});
// Slices of size one. An offset outside the tensor is an error, except the size
// of `dim` if paddingIndexUsed.
poplar::Tensor multiSlice(poplar::Graph &graph, const poplar::Tensor &t,
                          poplar::ArrayRef<unsigned> offsets, std::size_t dim,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &optionFlags = {});

// Writes s[i] to the slice of `t` at offsets[i]; where slices overlap, the last
// one wins.
void multiUpdate(poplar::Graph &graph, const poplar::Tensor &t,
                 const poplar::Tensor &s, const poplar::Tensor &offsets,
                 const std::vector<std::size_t> &dims,
                 const std::vector<std::size_t> &sizes,
                 poplar::program::Sequence &prog, const SlicePlan &plan,
                 const poplar::OptionFlags &options,
                 const poplar::DebugContext &debugContext = {});

// For the rows or columns of a matrix `t`, in order of the offsets, rounding
// each result to the type: t[offset] += scale * s[i], t[offset] =
// max(t[offset], s[i]), t[offset] *= s[i]. The scale has rank 0 and the type of
// `t`; for HALF it may be FLOAT.
void multiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t,
                    const poplar::Tensor &s, const poplar::Tensor &offsets,
                    const poplar::Tensor &scale,
                    const std::vector<std::size_t> &dims,
                    const std::vector<std::size_t> &sizes,
                    poplar::program::Sequence &prog, const SlicePlan &plan,
                    const poplar::OptionFlags &options,
                    const poplar::DebugContext &debugContext = {});
// The same for offsets known now, and any rank.
void multiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t,
                    const poplar::Tensor &s, poplar::ArrayRef<unsigned> offsets,
                    const poplar::Tensor &scale, std::size_t dim,
                    poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &optionFlags = {});
void multiUpdateMax(poplar::Graph &graph, const poplar::Tensor &t,
                    const poplar::Tensor &s, const poplar::Tensor &offsets,
                    const std::vector<std::size_t> &dims,
                    const std::vector<std::size_t> &sizes,
                    poplar::program::Sequence &prog, const SlicePlan &plan,
                    const poplar::OptionFlags &options,
                    const poplar::DebugContext &debugContext = {});
void multiUpdateMul(poplar::Graph &graph, const poplar::Tensor &t,
                    const poplar::Tensor &s, const poplar::Tensor &offsets,
                    const std::vector<std::size_t> &dims,
                    const std::vector<std::size_t> &sizes,
                    poplar::program::Sequence &prog, const SlicePlan &plan,
                    const poplar::OptionFlags &options,
                    const poplar::DebugContext &debugContext = {});

// The same for groups of matrices, each with its own offsets. All tensors have
// a group dimension first, which dims does not count: t [groups, rows,
// columns], offsets [groups, n, 1], slices [groups, n, 1, columns]. A plan is
// needed.
poplar::Tensor createGroupedSliceableTensor(
    poplar::Graph &graph, const poplar::Type &type, const std::size_t groupSize,
    const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
    const std::vector<std::size_t> &sizes, const SlicePlan &plan,
    const poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});
poplar::Tensor createGroupedSliceTensor(
    poplar::Graph &graph, const poplar::Type &type, const std::size_t groupSize,
    const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
    const std::vector<std::size_t> &sizes, const std::size_t numIndices,
    const SlicePlan &plan, const poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});
poplar::Tensor
createGroupedIndicesTensor(poplar::Graph &graph, const std::size_t groupSize,
                           const std::vector<std::size_t> &dims,
                           const std::size_t numIndices, const SlicePlan &plan,
                           const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {});
poplar::Tensor groupedMultiSlice(poplar::Graph &graph, const poplar::Tensor &t,
                                 const poplar::Tensor &offsets,
                                 const std::vector<std::size_t> &dims,
                                 const std::vector<std::size_t> &sizes,
                                 poplar::program::Sequence &prog,
                                 const SlicePlan &plan,
                                 const poplar::OptionFlags &options,
                                 const poplar::DebugContext &debugContext = {});
void groupedMultiUpdate(poplar::Graph &graph, const poplar::Tensor &t,
                        const poplar::Tensor &s, const poplar::Tensor &offsets,
                        const std::vector<std::size_t> &dims,
                        const std::vector<std::size_t> &sizes,
                        poplar::program::Sequence &prog, const SlicePlan &plan,
                        const poplar::OptionFlags &options,
                        const poplar::DebugContext &debugContext = {});
void groupedMultiUpdateAdd(
    poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
    const poplar::Tensor &offsets, const poplar::Tensor &scale,
    const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
    poplar::program::Sequence &prog, const SlicePlan &plan,
    const poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});
void groupedMultiUpdateMax(
    poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
    const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
    const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
    const SlicePlan &plan, const poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});
void groupedMultiUpdateMul(
    poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
    const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
    const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
    const SlicePlan &plan, const poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});

namespace embedding {

// For tables of numEntries rows of outputSize elements; numLookups lists the
// numbers of rows that are looked up at once.
SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType,
               const std::size_t numEntries, const std::size_t outputSize,
               const std::vector<std::size_t> &numLookups,
               const poplar::OptionFlags &options);

// The same for groupSize tables.
SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType,
               const std::size_t groupSize, const std::size_t numEntries,
               const std::size_t outputSize,
               const std::vector<std::size_t> &numLookups,
               const poplar::OptionFlags &options);

// The arguments of plan(). The graph must outlive them.
struct SlicePlanningParameters {
  const poplar::Graph &graph;
  const poplar::Type dataType;
  const std::size_t groupSize = 1;
  const std::size_t numEntries;
  const std::size_t outputSize;
  const std::vector<std::size_t> numLookups;
  const poplar::OptionFlags optionFlags;

  SlicePlanningParameters(const poplar::Graph &graph,
                          const poplar::Type &dataType,
                          const std::size_t groupSize,
                          const std::size_t numEntries,
                          const std::size_t outputSize,
                          const std::vector<std::size_t> &numLookups,
                          const poplar::OptionFlags &optionFlags)
      : graph(graph), dataType(dataType), groupSize(groupSize),
        numEntries(numEntries), outputSize(outputSize), numLookups(numLookups),
        optionFlags(optionFlags) {}
  SlicePlanningParameters(const poplar::Graph &graph,
                          const poplar::Type &dataType,
                          const std::size_t numEntries,
                          const std::size_t outputSize,
                          const std::vector<std::size_t> &numLookups,
                          const poplar::OptionFlags &optionFlags)
      : SlicePlanningParameters(graph, dataType, 1, numEntries, outputSize,
                                numLookups, optionFlags) {}
};

// One plan for each.
std::vector<SlicePlan>
planMultiple(const std::vector<SlicePlanningParameters> &spds);

} // namespace embedding

} // namespace popops
