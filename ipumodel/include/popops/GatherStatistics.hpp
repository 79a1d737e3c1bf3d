// Histograms.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <string>

namespace popops {

// Counts the elements of `input`, HALF or FLOAT, between `levels`, ascending
// and of the same type. The L + 1 counts are: below the first level, from the
// first up to the second, ..., and the rest, including NaN. With
// absoluteOfInput, the absolute values are counted.
//
// The result is UNSIGNED_INT, or FLOAT with the option useFloatArithmetic;
// useFloatArithmeticWithUnsignedIntOutput has no effect, as counts are exact.
poplar::Tensor histogram(poplar::Graph &graph, const poplar::Tensor &input,
                         const poplar::Tensor &levels, bool absoluteOfInput,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {},
                         const poplar::OptionFlags &options = {});

// Adds to the UNSIGNED_INT counts in `output` if updateOutput, else sets
// `output` to a new tensor.
void histogram(poplar::Graph &graph, const poplar::Tensor &input,
               poplar::Tensor &output, bool updateOutput,
               const poplar::Tensor &levels, bool absoluteOfInput,
               poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {});

} // namespace popops
