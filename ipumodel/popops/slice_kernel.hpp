// The native operation that copies slices, and what its callers share.
#pragma once

#include <poplar/ArrayRef.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace popops {

// What becomes of a slice whose offset is outside of the tensor.
enum class OutOfRange : std::uint8_t { ignore, startAtZero, zero };

struct SliceOptions {
  OutOfRange outOfRange = OutOfRange::ignore;
  bool validateIndices = false;
};
// Throws invalid_option.
SliceOptions parseSliceOptions(const poplar::OptionFlags &options);

// Throws if there is no such slice of a tensor of this shape; `numOffsets` is
// not checked if absent.
void checkSlice(const char *function, const std::vector<std::size_t> &shape,
                const std::vector<std::size_t> &dims,
                const std::vector<std::size_t> &sizes,
                std::optional<std::size_t> numOffsets = std::nullopt);
std::vector<std::size_t> sliceShape(std::vector<std::size_t> shape,
                                    const std::vector<std::size_t> &dims,
                                    const std::vector<std::size_t> &sizes);

// Throws if `t` has no such dimension, or an offset known now is neither inside
// of it nor what the options allow.
void checkStaticOffsets(const char *function, const poplar::Tensor &t,
                        poplar::ArrayRef<unsigned> offsets, std::size_t dim,
                        const SliceOptions &options);
// With validateIndices, stops the program if an offset is outside of `t`.
void addValidation(poplar::Graph &graph, const poplar::Tensor &t,
                   const poplar::Tensor &offsets,
                   const std::vector<std::size_t> &dims,
                   const SliceOptions &options, poplar::program::Sequence &prog,
                   const poplar::DebugContext &context);

constexpr const char *kSliceKernel = "popops.slice";

enum class SliceCopy : std::uint8_t { fromBase, toBase };

// Copies slices [n, slice...] from or to `base`, at offsets [n, dims.size()].
void addSliceCopy(poplar::Graph &graph, SliceCopy direction,
                  const poplar::Tensor &base, const poplar::Tensor &offsets,
                  const poplar::Tensor &slices,
                  const std::vector<std::size_t> &dims,
                  const SliceOptions &options, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext);

} // namespace popops
