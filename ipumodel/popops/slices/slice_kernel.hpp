// The native operation that copies slices, and helpers of its callers.
#pragma once

#include "poplar/plan/native_kernel.hpp"

#include <poplar/ArrayRef.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/Operation.hpp>
#include <poputil/VertexTemplates.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace ipumodel {

// What to do with a slice whose offset is outside the tensor.
enum class OutOfRange : std::uint8_t { ignore, startAtZero, zero };

struct SliceOptions {
  OutOfRange outOfRange = OutOfRange::ignore;
  bool validateIndices = false;
};
// Throws invalid_option.
SliceOptions parseSliceOptions(const poplar::OptionFlags &options);

// Throws if a tensor of this shape has no such slice; `numOffsets` is not
// checked if absent.
void checkSlice(const char *function, const std::vector<std::size_t> &shape,
                const std::vector<std::size_t> &dims,
                const std::vector<std::size_t> &sizes,
                std::optional<std::size_t> numOffsets = std::nullopt);
std::vector<std::size_t> sliceShape(std::vector<std::size_t> shape,
                                    const std::vector<std::size_t> &dims,
                                    const std::vector<std::size_t> &sizes);

// Throws if `t` has no such dimension, or if an offset known now is out of
// range and not allowed by the options.
void checkStaticOffsets(const char *function, const poplar::Tensor &t,
                        poplar::ArrayRef<unsigned> offsets, std::size_t dim,
                        const SliceOptions &options);
// With validateIndices, adds a check that ends the run if an offset is outside
// `t`.
void addValidation(poplar::Graph &graph, const poplar::Tensor &t,
                   const poplar::Tensor &offsets,
                   const std::vector<std::size_t> &dims,
                   const SliceOptions &options, poplar::program::Sequence &prog,
                   const poplar::DebugContext &context);

enum class SliceCopy : std::uint8_t { fromBase, toBase };

// The destination <- base, offsets, slices. If there are several groups, they
// are the first dimension of the base, and slices of one row are divided
// equally between them.
struct SliceOperator {
  static constexpr const char *kName = "popops.slice";
  SliceCopy direction;
  OutOfRange outOfRange;
  std::vector<std::size_t> dims;
  std::size_t groups = 1;

  template <class Io> void fields(Io &io) {
    io.choice(direction, SliceCopy::toBase);
    io.choice(outOfRange, OutOfRange::zero);
    io(dims, groups);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  StagePtr stage(const NativeOp &op, const std::string &name,
                 StageOperands &operands) const;
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex(direction == SliceCopy::fromBase
                                       ? "popops::MultiSlice"
                                       : "popops::MultiUpdate",
                                   op.inputs.at(0)->type);
  }
};

// Copies slices [n, slice...] from or to `base`, at offsets [n, dims.size()].
void addSliceCopy(poplar::Graph &graph, SliceCopy direction,
                  const poplar::Tensor &base, const poplar::Tensor &offsets,
                  const poplar::Tensor &slices,
                  const std::vector<std::size_t> &dims,
                  const SliceOptions &options, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext);

// Slices of single rows of groups of matrices: base [groups, rows, columns],
// offsets [groups, n, 1], slices [groups, n, 1, columns].
void addGroupedSliceCopy(poplar::Graph &graph, SliceCopy direction,
                         const poplar::Tensor &base,
                         const poplar::Tensor &offsets,
                         const poplar::Tensor &slices,
                         const SliceOptions &options,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext);

// Combines slices of single rows or columns with groups of matrices; shapes as
// for addGroupedSliceCopy. `scale` is null except for ADD.
void addGroupedUpdate(poplar::Graph &graph, const char *function,
                      const poplar::Tensor &t, const poplar::Tensor &s,
                      const poplar::Tensor &offsets,
                      const poplar::Tensor *scale,
                      const std::vector<std::size_t> &dims,
                      const std::vector<std::size_t> &sizes,
                      popops::Operation op, poplar::program::Sequence &prog,
                      const poplar::OptionFlags &options,
                      const poplar::DebugContext &debugContext);

} // namespace ipumodel
