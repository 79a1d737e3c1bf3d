// Random numbers and dropout.
//
// With a seed, two UNSIGNED_INTs, element i of a result depends only on the
// seed's values, the modifier, the operation and i, the index in row-major
// order of the reference: neither on tile mappings nor on other operations.
// Give every operation a modifier of its own. Without a seed the numbers come
// from the tiles' generators, see poplar/RandomSeed.hpp and setSeed().
//
// Results are new tensors with the shape and the layout of the reference.
// A seed of another shape or type, an element type that an operation does not
// have, and arguments out of range throw poputil::poplibs_error.
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

// input * scale with probability keepProbability, else 0. `scale` is usually
// 1 / keepProbability; nothing else is rescaled. Probabilities are multiples of
// 1 / 65536, rounded down. A probability of 1 gives a copy of the input,
// whatever the scale. For the gradient, call it with the same seed, modifier
// and reference: the same elements are kept. HALF or FLOAT; `reference` has the
// shape of `input`.
poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *seed,
                       const uint32_t seedModifier, const poplar::Tensor &input,
                       const poplar::Tensor &reference, double keepProbability,
                       double scale, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

// outputClonesRef: the result has the layout of the reference, else that of the
// input.
poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *seed,
                       const uint32_t seedModifier, const poplar::Tensor &input,
                       const poplar::Tensor &reference, double keepProbability,
                       double scale, bool outputClonesRef,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

// Drops all elements together that one element of `reference` is broadcast to.
poplar::Tensor shapedDropout(poplar::Graph &graph, const poplar::Tensor *seed,
                             const uint32_t seedModifier,
                             const poplar::Tensor &input,
                             const poplar::Tensor &reference,
                             double keepProbability, double scale,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {});

// Between minVal and maxVal, both included. HALF, FLOAT or INT.
poplar::Tensor uniform(poplar::Graph &graph, const poplar::Tensor *seed,
                       uint32_t seedModifier, const poplar::Tensor &reference,
                       const poplar::Type &outType, double minVal,
                       double maxVal, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

// Numbers whose logarithm, to any base, is uniform: 1 <= minVal < maxVal.
// HALF, FLOAT or INT; numbers are truncated to INT, and bounds must be integers
// then.
poplar::Tensor logUniform(poplar::Graph &graph, const poplar::Tensor *seed,
                          uint32_t seedModifier,
                          const poplar::Tensor &reference,
                          const poplar::Type &outType, double minVal,
                          double maxVal, poplar::program::Sequence &prog,
                          double base = M_E,
                          const poplar::DebugContext &debugContext = {});

// 1 with probability prob, a multiple of 1 / 65536 rounded down, else 0. HALF,
// FLOAT or INT.
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

// Normal numbers no further than alpha * stdDev from the mean. HALF or FLOAT.
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
