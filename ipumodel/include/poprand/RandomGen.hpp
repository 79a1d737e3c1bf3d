// Random numbers and dropout.
//
// With a seed, two UNSIGNED_INTs, element i of a result depends only on the
// seed's values, the modifier, the operation and i, the index in row-major
// order of the reference: neither on tile mappings nor on other operations.
// Give every operation a different modifier. Without a seed the numbers come
// from the tiles' generators, see poplar/RandomSeed.hpp and setSeed().
//
// Results are new tensors with the shape and the layout of the reference. A
// seed of another shape or type, an unsupported element type, and arguments out
// of range throw poputil::poplibs_error.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/exceptions.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace poprand {

// input * scale with probability keepProbability, else 0. `scale` is usually 1
// / keepProbability; nothing else is rescaled. Probabilities are rounded down
// to multiples of 1 / 65536. A probability of 1 gives a copy of the input,
// whatever the scale. To compute the gradient, call it with the same seed,
// modifier and reference, so that the same elements are kept. HALF or FLOAT;
// `reference` has the shape of `input`.
poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *seed,
                       const uint32_t seedModifier, const poplar::Tensor &input,
                       const poplar::Tensor &reference, double keepProbability,
                       double scale, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

// The result has the layout of the reference if outputClonesRef, else of the
// input.
poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *seed,
                       const uint32_t seedModifier, const poplar::Tensor &input,
                       const poplar::Tensor &reference, double keepProbability,
                       double scale, bool outputClonesRef,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

// Keeps or drops together all elements that share an element of `reference`
// when it is broadcast.
poplar::Tensor shapedDropout(poplar::Graph &graph, const poplar::Tensor *seed,
                             const uint32_t seedModifier,
                             const poplar::Tensor &input,
                             const poplar::Tensor &reference,
                             double keepProbability, double scale,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {});

// Between minVal and maxVal, inclusive. HALF, FLOAT or INT.
poplar::Tensor uniform(poplar::Graph &graph, const poplar::Tensor *seed,
                       uint32_t seedModifier, const poplar::Tensor &reference,
                       const poplar::Type &outType, double minVal,
                       double maxVal, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

// Numbers whose logarithm, to any base, is uniform: 1 <= minVal < maxVal. HALF,
// FLOAT or INT; for INT numbers are truncated and the bounds must be integers.
poplar::Tensor logUniform(poplar::Graph &graph, const poplar::Tensor *seed,
                          uint32_t seedModifier,
                          const poplar::Tensor &reference,
                          const poplar::Type &outType, double minVal,
                          double maxVal, poplar::program::Sequence &prog,
                          double base = M_E,
                          const poplar::DebugContext &debugContext = {});

// 1 with probability prob, rounded down to a multiple of 1 / 65536, else 0.
// HALF, FLOAT or INT.
poplar::Tensor bernoulli(poplar::Graph &graph, const poplar::Tensor *seed,
                         uint32_t seedModifier, const poplar::Tensor &reference,
                         const poplar::Type &outType, double prob,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});

// HALF or FLOAT.
poplar::Tensor normal(poplar::Graph &graph, const poplar::Tensor *seed,
                      uint32_t seedModifier, const poplar::Tensor &reference,
                      const poplar::Type &outType, double mean, double stdDev,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});

// Normal numbers at most alpha * stdDev from the mean. HALF or FLOAT.
poplar::Tensor truncatedNormal(poplar::Graph &graph, const poplar::Tensor *seed,
                               uint32_t seedModifier,
                               const poplar::Tensor &reference,
                               const poplar::Type &outType, double mean,
                               double stdDev, double alpha,
                               poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {});

// Seeds the generators of all tiles.
void setSeed(poplar::Graph &graph, const poplar::Tensor &masterSeed,
             uint32_t seedModifier, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {});

} // namespace poprand
