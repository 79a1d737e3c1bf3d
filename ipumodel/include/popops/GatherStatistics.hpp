// How values are distributed.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <string>

namespace popops {

// Counts the elements of `input`, HALF or FLOAT, between `levels`, ascending
// and of the same type: [L + 1] counts, of those below the first level, from
// the first up to the second, ..., and the rest, NaN among it. With
// absoluteOfInput elements count without their sign.
//
// The result is UNSIGNED_INT, or FLOAT with the option useFloatArithmetic;
// useFloatArithmeticWithUnsignedIntOutput changes nothing, as counts are exact.
poplar::Tensor histogram(poplar::Graph &graph, const poplar::Tensor &input,
                         const poplar::Tensor &levels, bool absoluteOfInput,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {},
                         const poplar::OptionFlags &options = {});

// Adds to the UNSIGNED_INT counts in `output`, or replaces it by a new tensor
// unless updateOutput.
void histogram(poplar::Graph &graph, const poplar::Tensor &input,
               poplar::Tensor &output, bool updateOutput,
               const poplar::Tensor &levels, bool absoluteOfInput,
               poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {});

} // namespace popops
