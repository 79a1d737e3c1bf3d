#include "popnn/recurrent/gru/gru_layer.hpp"

#include <poputil/exceptions.hpp>

namespace popnn {
namespace gru {

using ipumodel::GruLayer;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

// The parameters with the lengths of sequences.
GruParams withLengths(const GruParams &params, const Tensor &lengths) {
  GruParams result = params;
  result.rnn =
      rnn::RnnParams(params.rnn.dataType, params.rnn.batchSize,
                     params.rnn.maxTimeSteps, lengths, params.rnn.layerSizes);
  return result;
}

GruParams forwardWithLengths(const char *function, const GruParams &params,
                             const Tensor &lengths) {
  if (!params.outputFullSequence)
    throw poplibs_error(std::string(function) +
                        ": outputFullSequence must be true if realTimeSteps "
                        "are given");
  return withLengths(params, lengths);
}

Tensor backward(GruLayer layer, const GruLayer::Gradients &gradients,
                Tensor *bwdIntermediates) {
  Tensor gates;
  const Tensor initial = layer.backward(gradients, gates);
  if (bwdIntermediates)
    *bwdIntermediates = gates;
  return initial;
}

Tensor backwardWithWeights(GruLayer layer, const GruLayer::Gradients &g,
                           GruWeights &weightsGrad) {
  Tensor gates;
  const Tensor initial = layer.backward(g, gates);
  weightsGrad =
      layer.weightGradients(g.initial, g.intermediates, gates, g.in, g.output);
  return initial;
}

} // namespace

Tensor gruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit,
              const Tensor &in, const GruWeights &weights,
              Tensor *intermediates, Sequence &fwdProg,
              const DebugContext &debugContext, const OptionFlags &options,
              poplin::PlanningCache *planningCache) {
  return GruLayer("gruFwd", graph, params, fwdProg, debugContext, options,
                  planningCache)
      .forward(stateInit, in, weights, intermediates, nullptr);
}

Tensor gruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit,
              const Tensor &in, const Tensor &realTimeSteps,
              const GruWeights &weights, Tensor *intermediates,
              Sequence &fwdProg, const DebugContext &debugContext,
              const OptionFlags &options,
              poplin::PlanningCache *planningCache) {
  return gruFwd(graph, forwardWithLengths("gruFwd", params, realTimeSteps),
                stateInit, in, weights, intermediates, fwdProg, debugContext,
                options, planningCache);
}

Tensor auGruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit,
                const Tensor &in, const GruWeights &weights,
                Tensor *intermediates, const Tensor &attScores,
                Sequence &fwdProg, const DebugContext &debugContext,
                const OptionFlags &options,
                poplin::PlanningCache *planningCache) {
  return GruLayer("auGruFwd", graph, params, fwdProg, debugContext, options,
                  planningCache)
      .forward(stateInit, in, weights, intermediates, &attScores);
}

Tensor auGruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit,
                const Tensor &in, const Tensor &realTimeSteps,
                const GruWeights &weights, Tensor *intermediates,
                const Tensor &attScores, Sequence &fwdProg,
                const DebugContext &debugContext, const OptionFlags &options,
                poplin::PlanningCache *planningCache) {
  return auGruFwd(graph, forwardWithLengths("auGruFwd", params, realTimeSteps),
                  stateInit, in, weights, intermediates, attScores, fwdProg,
                  debugContext, options, planningCache);
}

Tensor gruBwd(Graph &graph, const GruParams &params, Sequence &prog,
              const Tensor &fwdOutputInit, const Tensor &fwdIntermediatesSeq,
              const GruWeights &weights, const Tensor &fwdInputSeq,
              const Tensor &fwdOutput, const Tensor &gradLayerNext,
              Tensor *inputGrad, Tensor *bwdIntermediates,
              const DebugContext &debugContext, const OptionFlags &options_,
              poplin::PlanningCache *planningCache) {
  return backward(
      {"gruBwd", graph, params, prog, debugContext, options_, planningCache},
      {fwdOutputInit, fwdIntermediatesSeq, weights, fwdInputSeq, fwdOutput,
       gradLayerNext, inputGrad, nullptr, nullptr},
      bwdIntermediates);
}

Tensor gruBwd(Graph &graph, const GruParams &params, Sequence &prog,
              const Tensor &fwdOutputInit, const Tensor &fwdIntermediatesSeq,
              const GruWeights &weights, const Tensor &fwdInputSeq,
              const Tensor &realTimeSteps, const Tensor &fwdOutput,
              const Tensor &gradLayerNext, Tensor *inputGrad,
              Tensor *bwdIntermediates, const DebugContext &debugContext,
              const OptionFlags &options_,
              poplin::PlanningCache *planningCache) {
  return gruBwd(graph, withLengths(params, realTimeSteps), prog, fwdOutputInit,
                fwdIntermediatesSeq, weights, fwdInputSeq, fwdOutput,
                gradLayerNext, inputGrad, bwdIntermediates, debugContext,
                options_, planningCache);
}

Tensor auGruBwd(Graph &graph, const GruParams &params, Sequence &prog,
                const Tensor &fwdOutputInit, const Tensor &fwdIntermediatesSeq,
                const GruWeights &weights, const Tensor &fwdInputSeq,
                const Tensor &fwdOutput, const Tensor &gradLayerNext,
                Tensor *inputGrad, Tensor *bwdIntermediates,
                const Tensor &attentions, Tensor *attentionsGrad,
                const DebugContext &debugContext, const OptionFlags &options_,
                poplin::PlanningCache *planningCache) {
  return backward(
      {"auGruBwd", graph, params, prog, debugContext, options_, planningCache},
      {fwdOutputInit, fwdIntermediatesSeq, weights, fwdInputSeq, fwdOutput,
       gradLayerNext, inputGrad, &attentions, attentionsGrad},
      bwdIntermediates);
}

Tensor auGruBwd(Graph &graph, const GruParams &params, Sequence &prog,
                const Tensor &fwdOutputInit, const Tensor &fwdIntermediatesSeq,
                const GruWeights &weights, const Tensor &fwdInputSeq,
                const Tensor &realTimeSteps, const Tensor &fwdOutput,
                const Tensor &gradLayerNext, Tensor *inputGrad,
                Tensor *bwdIntermediates, const Tensor &attentions,
                Tensor *attentionsGrad, const DebugContext &debugContext,
                const OptionFlags &options_,
                poplin::PlanningCache *planningCache) {
  return auGruBwd(graph, withLengths(params, realTimeSteps), prog,
                  fwdOutputInit, fwdIntermediatesSeq, weights, fwdInputSeq,
                  fwdOutput, gradLayerNext, inputGrad, bwdIntermediates,
                  attentions, attentionsGrad, debugContext, options_,
                  planningCache);
}

GruWeights gruWU(Graph &graph, const GruParams &params, Sequence &prog,
                 const Tensor &fwdOutputInit, const Tensor &fwdIntermediates,
                 const Tensor &bwdIntermediates, const GruWeights &,
                 const Tensor &input, const Tensor &output,
                 const DebugContext &debugContext, const OptionFlags &options_,
                 poplin::PlanningCache *planningCache) {
  return GruLayer("gruWU", graph, params, prog, debugContext, options_,
                  planningCache)
      .weightGradients(fwdOutputInit, fwdIntermediates, bwdIntermediates, input,
                       output);
}

GruWeights auGruWU(Graph &graph, const GruParams &params, Sequence &prog,
                   const Tensor &fwdOutputInit, const Tensor &fwdIntermediates,
                   const Tensor &bwdIntermediates, const GruWeights &,
                   const Tensor &input, const Tensor &output,
                   const DebugContext &debugContext,
                   const OptionFlags &options_,
                   poplin::PlanningCache *planningCache) {
  return GruLayer("auGruWU", graph, params, prog, debugContext, options_,
                  planningCache)
      .weightGradients(fwdOutputInit, fwdIntermediates, bwdIntermediates, input,
                       output);
}

Tensor gruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog,
                    const Tensor &fwdOutputInit, const Tensor &fwdIntermediates,
                    const GruWeights &weights, const Tensor &input,
                    const Tensor &output, const Tensor &outputGrad,
                    Tensor *inputGrad, GruWeights &weightsGrad,
                    const DebugContext &debugContext,
                    const OptionFlags &options_,
                    poplin::PlanningCache *planningCache) {
  return backwardWithWeights({"gruBwdWithWU", graph, params, prog, debugContext,
                              options_, planningCache},
                             {fwdOutputInit, fwdIntermediates, weights, input,
                              output, outputGrad, inputGrad, nullptr, nullptr},
                             weightsGrad);
}

Tensor gruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog,
                    const Tensor &fwdOutputInit, const Tensor &fwdIntermediates,
                    const GruWeights &weights, const Tensor &input,
                    const Tensor &realTimeSteps, const Tensor &output,
                    const Tensor &outputGrad, Tensor *inputGrad,
                    GruWeights &weightsGrad, const DebugContext &debugContext,
                    const OptionFlags &options_,
                    poplin::PlanningCache *planningCache) {
  return gruBwdWithWU(graph, withLengths(params, realTimeSteps), prog,
                      fwdOutputInit, fwdIntermediates, weights, input, output,
                      outputGrad, inputGrad, weightsGrad, debugContext,
                      options_, planningCache);
}

Tensor auGruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog,
                      const Tensor &fwdOutputInit,
                      const Tensor &fwdIntermediates, const GruWeights &weights,
                      const Tensor &input, const Tensor &output,
                      const Tensor &outputGrad, Tensor *inputGrad,
                      GruWeights &weightsGrad, const Tensor &attentions,
                      Tensor *attentionsGrad, const DebugContext &debugContext,
                      const OptionFlags &options_,
                      poplin::PlanningCache *planningCache) {
  return backwardWithWeights({"auGruBwdWithWU", graph, params, prog,
                              debugContext, options_, planningCache},
                             {fwdOutputInit, fwdIntermediates, weights, input,
                              output, outputGrad, inputGrad, &attentions,
                              attentionsGrad},
                             weightsGrad);
}

Tensor auGruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog,
                      const Tensor &fwdOutputInit,
                      const Tensor &fwdIntermediates, const GruWeights &weights,
                      const Tensor &input, const Tensor &realTimeSteps,
                      const Tensor &output, const Tensor &outputGrad,
                      Tensor *inputGrad, GruWeights &weightsGrad,
                      const Tensor &attentions, Tensor *attentionsGrad,
                      const DebugContext &debugContext,
                      const OptionFlags &options_,
                      poplin::PlanningCache *planningCache) {
  return auGruBwdWithWU(graph, withLengths(params, realTimeSteps), prog,
                        fwdOutputInit, fwdIntermediates, weights, input, output,
                        outputGrad, inputGrad, weightsGrad, attentions,
                        attentionsGrad, debugContext, options_, planningCache);
}

} // namespace gru
} // namespace popnn
