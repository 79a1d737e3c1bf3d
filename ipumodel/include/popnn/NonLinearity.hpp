// Non-linearities and their gradients. Softmax works on rows of the innermost
// dimension, the others on single elements.
#pragma once

#include <popnn/NonLinearityDef.hpp>

#ifndef __POPC__

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popnn {

poplar::Tensor nonLinearity(poplar::Graph &graph,
                            NonLinearityType nonLinearityType, poplar::Tensor t,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});
// Also returns the factor between this result and the mathematical one: 62000
// for SOFTMAX_SCALED, else 1.
poplar::Tensor nonLinearity(poplar::Graph &graph,
                            NonLinearityType nonLinearityType, poplar::Tensor t,
                            float &nonLinearityScaling,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});
void nonLinearityInPlace(poplar::Graph &graph,
                         NonLinearityType nonLinearityType, poplar::Tensor t,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});
void nonLinearityInPlace(poplar::Graph &graph,
                         NonLinearityType nonLinearityType, poplar::Tensor t,
                         float &nonLinearityScaling,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});

// As part of a compute set. Throws poplibs_error for SOFTMAX, SOFTMAX_STABLE,
// SOFTMAX_SCALED and HARD_SIGMOID.
void nonLinearityInPlace(poplar::Graph &graph,
                         NonLinearityType nonLinearityType, poplar::Tensor t,
                         poplar::ComputeSet &cs,
                         const poplar::DebugContext &debugContext = {});
void nonLinearityInPlace(poplar::Graph &graph,
                         NonLinearityType nonLinearityType, poplar::Tensor t,
                         float &nonLinearityScaling, poplar::ComputeSet &cs,
                         const poplar::DebugContext &debugContext = {});

// `act` is the output of the non-linearity, except for HARD_SIGMOID, GELU,
// GELU_ERF and SWISH, where it is the input.
poplar::Tensor nonLinearityInputGradient(
    poplar::Graph &graph, NonLinearityType nonLinearityType, poplar::Tensor act,
    poplar::Tensor outGradient, poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {});
// As part of a compute set, with the same restriction.
poplar::Tensor
nonLinearityInputGradient(poplar::Graph &graph,
                          NonLinearityType nonLinearityType, poplar::Tensor act,
                          poplar::Tensor outGradient, poplar::ComputeSet &cs,
                          const poplar::DebugContext &debugContext = {});

// name(...) and nameInPlace(...) for one non-linearity each.
#define POPNN_NON_LINEARITY(name, type)                                        \
  inline poplar::Tensor name(poplar::Graph &graph, poplar::Tensor t,           \
                             poplar::program::Sequence &prog,                  \
                             const poplar::DebugContext &debugContext = {}) {  \
    return nonLinearity(graph, type, t, prog, debugContext);                   \
  }                                                                            \
  inline poplar::Tensor name(poplar::Graph &graph, poplar::Tensor t,           \
                             float &nonLinearityScaling,                       \
                             poplar::program::Sequence &prog,                  \
                             const poplar::DebugContext &debugContext = {}) {  \
    return nonLinearity(graph, type, t, nonLinearityScaling, prog,             \
                        debugContext);                                         \
  }                                                                            \
  inline void name##InPlace(poplar::Graph &graph, poplar::Tensor t,            \
                            poplar::program::Sequence &prog,                   \
                            const poplar::DebugContext &debugContext = {}) {   \
    nonLinearityInPlace(graph, type, t, prog, debugContext);                   \
  }                                                                            \
  inline void name##InPlace(poplar::Graph &graph, poplar::Tensor t,            \
                            float &nonLinearityScaling,                        \
                            poplar::program::Sequence &prog,                   \
                            const poplar::DebugContext &debugContext = {}) {   \
    nonLinearityInPlace(graph, type, t, nonLinearityScaling, prog,             \
                        debugContext);                                         \
  }

POPNN_NON_LINEARITY(sigmoid, NonLinearityType::SIGMOID)
POPNN_NON_LINEARITY(relu, NonLinearityType::RELU)
POPNN_NON_LINEARITY(tanh, NonLinearityType::TANH)
POPNN_NON_LINEARITY(gelu, NonLinearityType::GELU)
POPNN_NON_LINEARITY(geluErf, NonLinearityType::GELU_ERF)
POPNN_NON_LINEARITY(swish, NonLinearityType::SWISH)
POPNN_NON_LINEARITY(softmax, NonLinearityType::SOFTMAX)
POPNN_NON_LINEARITY(softmaxStable, NonLinearityType::SOFTMAX_STABLE)
POPNN_NON_LINEARITY(scaledSoftmaxStable, NonLinearityType::SOFTMAX_SCALED)

#undef POPNN_NON_LINEARITY

} // namespace popnn

#endif
