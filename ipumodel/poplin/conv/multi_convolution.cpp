#include <poplin/MultiConvolution.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

#include <map>

namespace poplin {
namespace multiconv {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

enum class PlanType { serial, parallel };

// No other value is used: there is one plan.
PlanType planTypeIn(const OptionFlags &options) {
  static const std::map<std::string, PlanType> kPlanTypes = {
      {"serial", PlanType::serial}, {"parallel", PlanType::parallel}};
  PlanType planType = PlanType::parallel;
  int tiles = 0;
  double backOff = 0;
  const poplibs::OptionSpec spec{
      {"planType",
       poplibs::OptionHandler::createWithEnum(planType, kPlanTypes)},
      {"perConvReservedTiles",
       poplibs::OptionHandler::createWithInteger(tiles)},
      {"cycleBackOff", poplibs::OptionHandler::createWithDouble(backOff)}};
  for (const auto &option : options)
    spec.parse(option.first, option.second);
  return planType;
}

bool countsCycles(const OptionFlags &options) {
  bool counts = false;
  const poplibs::OptionSpec spec{
      {"insertTransformsCycleCountProgs",
       poplibs::OptionHandler::createWithBool(counts)}};
  for (const auto &option : options)
    spec.parse(option.first, option.second, /*ignoreUnknown=*/true);
  return counts;
}

// Convolutions of a parallel plan are transformed together, so that cycles
// are counted for all of them or for none.
template <class Args>
void checkOptions(const OptionFlags &options, const std::vector<Args> &args) {
  if (planTypeIn(options) == PlanType::serial)
    return;
  for (const Args &each : args)
    if (countsCycles(each.options) != countsCycles(args.front().options))
      throw poplibs_error(
          "multiconv: convolutions of a parallel plan have "
          "different values of insertTransformsCycleCountProgs");
}

const CreateTensorArgs &argsAt(const char *function,
                               const std::vector<CreateTensorArgs> &args,
                               unsigned index) {
  if (index >= args.size())
    throw poplibs_error(std::string("multiconv::") + function +
                        ": there is no convolution " + std::to_string(index) +
                        " among " + std::to_string(args.size()));
  return args[index];
}

std::string numbered(std::size_t index) { return std::to_string(index); }

template <class Args>
void updateWeights(Graph &graph, const std::vector<Args> &args, Sequence &prog,
                   const DebugContext &debugContext, const OptionFlags &options,
                   PlanningCache *cache) {
  checkOptions(options, args);
  for (std::size_t i = 0; i < args.size(); ++i)
    poplin::convolutionWeightUpdate(
        graph, args[i].zDeltas, args[i].weights, args[i].activations,
        args[i].params, args[i].scale, prog, {debugContext, numbered(i)},
        args[i].options, cache);
}

} // namespace

Tensor createWeights(Graph &graph, const std::vector<CreateTensorArgs> &args,
                     unsigned weightsIndex, const OptionFlags &options,
                     PlanningCache *cache) {
  planTypeIn(options); // checks them
  const CreateTensorArgs &own = argsAt("createWeights", args, weightsIndex);
  return poplin::createWeights(graph, own.params, own.name, own.options, cache);
}

Tensor createInput(Graph &graph, const std::vector<CreateTensorArgs> &args,
                   unsigned inputIndex, const OptionFlags &options,
                   PlanningCache *cache) {
  planTypeIn(options); // checks them
  const CreateTensorArgs &own = argsAt("createInput", args, inputIndex);
  return poplin::createInput(graph, own.params, own.name, own.options, cache);
}

void weightsTransposeChansFlipXY(Graph &graph,
                                 std::vector<ConvolutionArgs> &args,
                                 const std::vector<Tensor> &weightsIn,
                                 Sequence &prog, const OptionFlags &options,
                                 const DebugContext &debugContext,
                                 PlanningCache *) {
  planTypeIn(options); // checks them
  if (weightsIn.size() != args.size())
    throw poplibs_error("multiconv::weightsTransposeChansFlipXY: " +
                        std::to_string(weightsIn.size()) + " weights for " +
                        std::to_string(args.size()) + " convolutions");
  for (std::size_t i = 0; i < args.size(); ++i)
    poplin::weightsTransposeChansFlipXY(graph, weightsIn[i], args[i].weights,
                                        prog, {debugContext, numbered(i)},
                                        args[i].options);
}

std::vector<Tensor> convolution(Graph &graph,
                                const std::vector<ConvolutionArgs> &args,
                                bool transposeAndFlipWeights, Sequence &prog,
                                const DebugContext &debugContext,
                                const OptionFlags &options,
                                PlanningCache *cache) {
  checkOptions(options, args);
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < args.size(); ++i)
    results.push_back(poplin::convolution(
        graph, args[i].inputs, args[i].weights, args[i].params,
        transposeAndFlipWeights, prog, {debugContext, numbered(i)},
        args[i].options, cache));
  return results;
}

std::vector<Tensor>
calculateWeightDeltas(Graph &graph,
                      const std::vector<CalculateWeightDeltasArgs> &args,
                      Sequence &prog, const DebugContext &debugContext,
                      const OptionFlags &options, PlanningCache *cache) {
  checkOptions(options, args);
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < args.size(); ++i)
    results.push_back(poplin::calculateWeightDeltas(
        graph, args[i].zDeltas, args[i].activations, args[i].params, prog,
        {debugContext, numbered(i)}, args[i].options, cache));
  return results;
}

void convolutionWeightUpdate(Graph &graph,
                             const std::vector<ConvWeightUpdateArgs> &args,
                             Sequence &prog, const DebugContext &debugContext,
                             const OptionFlags &options, PlanningCache *cache) {
  updateWeights(graph, args, prog, debugContext, options, cache);
}

void convolutionWeightUpdate(
    Graph &graph, const std::vector<ConvWeightUpdateArgsScalar> &args,
    Sequence &prog, const DebugContext &debugContext,
    const OptionFlags &options, PlanningCache *cache) {
  updateWeights(graph, args, prog, debugContext, options, cache);
}

} // namespace multiconv
} // namespace poplin
