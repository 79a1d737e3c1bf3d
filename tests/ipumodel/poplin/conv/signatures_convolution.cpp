// Uses every function of the convolution headers with its exact type, and every
// default argument. Building this is the test.
#include <poplin/ConvParams.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MultiConvolution.hpp>
#include <poplin/codelets.hpp>

#include <iostream>
#include <type_traits>
#include <unordered_set>

namespace {

using namespace poplin;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Target;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using Shape = std::vector<std::size_t>;
using Unsigneds = std::vector<unsigned>;
using Range = std::pair<unsigned, unsigned>;

template <class F> void is(F *) {}
template <class C, class F> void isMember(F C::*) {}

void params() {
  using P = ConvParams;
  static_assert(std::is_same<decltype(P::inputType), Type>::value, "");
  static_assert(std::is_same<decltype(P::outputType), Type>::value, "");
  static_assert(std::is_same<decltype(P::batchSize), std::size_t>::value, "");
  static_assert(std::is_same<decltype(P::inputFieldShape), Shape>::value, "");
  static_assert(std::is_same<decltype(P::kernelShape), Shape>::value, "");
  isMember<P, std::size_t>(&P::inputChannelsPerConvGroup);
  isMember<P, std::size_t>(&P::outputChannelsPerConvGroup);
  isMember<P, std::size_t>(&P::numConvGroups);
  isMember<P, P::InputTransform>(&P::inputTransform);
  isMember<P, P::InputTransform>(&P::kernelTransform);
  isMember<P, P::OutputTransform>(&P::outputTransform);
  isMember<P, std::size_t(unsigned) const>(&P::getUntransformedOutputSize);
  isMember<P, std::size_t(unsigned) const>(&P::getOutputSize);
  isMember<P, Shape() const>(&P::getOutputFieldShape);
  isMember<P, std::size_t() const>(&P::getNumOutputChansPerConvGroup);
  isMember<P, std::size_t() const>(&P::getNumOutputChans);
  isMember<P, std::size_t(unsigned) const>(&P::getInputSize);
  isMember<P, std::size_t() const>(&P::getNumInputChansPerConvGroup);
  isMember<P, std::size_t() const>(&P::getNumInputChans);
  isMember<P, std::size_t() const>(&P::getNumConvGroups);
  isMember<P, std::size_t() const>(&P::getNumFieldDims);
  isMember<P, Shape() const>(&P::getInputFieldShape);
  isMember<P, Shape() const>(&P::getKernelShape);
  isMember<P, std::size_t() const>(&P::getBatchSize);
  isMember<P, unsigned(unsigned) const>(&P::getTruncatedInputSize);
  isMember<P, unsigned(unsigned) const>(&P::getTruncatedKernelSize);
  isMember<P, unsigned(unsigned) const>(&P::getTransformedInputSize);
  isMember<P, unsigned(unsigned) const>(&P::getTransformedKernelSize);
  isMember<P, void() const>(&P::validate);
  isMember<P, P() const>(&P::canonicalize);
}

void transforms() {
  using In = ConvParams::InputTransform;
  using Out = ConvParams::OutputTransform;
  isMember<In, Unsigneds>(&In::truncationLower);
  isMember<In, Unsigneds>(&In::truncationUpper);
  isMember<In, Unsigneds>(&In::dilation);
  isMember<In, Unsigneds>(&In::paddingLower);
  isMember<In, Unsigneds>(&In::paddingUpper);
  isMember<In, std::vector<bool>>(&In::flip);
  isMember<Out, Unsigneds>(&Out::truncationLower);
  isMember<Out, Unsigneds>(&Out::truncationUpper);
  isMember<Out, Unsigneds>(&Out::stride);
  isMember<Out, Unsigneds>(&Out::paddingLower);
  isMember<Out, Unsigneds>(&Out::paddingUpper);
  const Unsigneds ones(2, 1);
  const In in(ones, ones, ones, ones, ones, {false, false}), none(2);
  const Out out(ones, ones, ones, ones, ones), plain(2);
  const ConvParams one(poplar::FLOAT, 1, {4, 4}, {3, 3}, 1, 1, 1);
  const ConvParams two(poplar::HALF, poplar::FLOAT, 1, {4, 4}, {3, 3}, 1, 1, 1);
  const ConvParams all(poplar::HALF, poplar::FLOAT, 1, {4, 4}, {3, 3}, 1, 1, 1,
                       in, none, out);
  const bool comparisons[] = {in < none,   in == none,   in != none,
                              out < plain, out == plain, out != plain,
                              one < two,   one == all,   one != two};
  static_cast<void>(comparisons);
  ConvParams read;
  std::cout << one;
  std::cin >> read;
  std::unordered_set<ConvParams>().insert(one);
  std::unordered_set<In>().insert(in);
  std::unordered_set<Out>().insert(out);
  is<std::size_t(const In &)>(hash_value);
  is<std::size_t(const Out &)>(hash_value);
}

void tensors() {
  is<void(Graph &)>(addCodelets);
  using Create = Tensor(Graph &, const ConvParams &, const DebugContext &,
                        const OptionFlags &, PlanningCache *);
  is<Create>(createInput);
  is<Create>(createWeights);
  is<Create>(createConvOutput);
  is<Tensor(Graph &, const Tensor &, const DebugContext &)>(createBiases);
  is<Tensor(Graph &, const Tensor &, const ConvParams &, const DebugContext &,
            const OptionFlags &, PlanningCache *)>(createBiases);
}

void operations() {
  is<Tensor(Graph &, const Tensor &, const Tensor &, const ConvParams &, bool,
            Sequence &, const DebugContext &, const OptionFlags &,
            PlanningCache *)>(convolution);
  is<void(Graph &, const Tensor &, const Tensor &, const Tensor &,
          const ConvParams &, bool, Sequence &, const DebugContext &,
          const OptionFlags &, PlanningCache *)>(convolutionWithOutput);
  is<void(Graph &, const Tensor &, const Tensor &, Sequence &,
          const DebugContext &, const OptionFlags &)>(
      weightsTransposeChansFlipXY);
  is<Tensor(Graph &, const Tensor &, const Tensor &, const ConvParams &,
            Sequence &, const DebugContext &, const OptionFlags &,
            PlanningCache *)>(calculateWeightDeltas);
  is<void(Graph &, const Tensor &, const Tensor &, const Tensor &, ConvParams,
          const Tensor &, Sequence &, const DebugContext &, const OptionFlags &,
          PlanningCache *)>(convolutionWeightUpdate);
  is<void(Graph &, const Tensor &, const Tensor &, const Tensor &, ConvParams,
          float, Sequence &, const DebugContext &, const OptionFlags &,
          PlanningCache *)>(convolutionWeightUpdate);
  is<void(Graph &, const Tensor &, const Tensor &, const Tensor &,
          const OptionFlags &, Sequence &, const DebugContext &)>(
      convolutionBiasUpdate);
  is<void(Graph &, const Tensor &, const Tensor &, float, const OptionFlags &,
          Sequence &, const DebugContext &)>(convolutionBiasUpdate);
  is<void(Graph &, const Tensor &, const Tensor &, Sequence &,
          const DebugContext &)>(addBias);
}

void defaults(Graph &g, const Tensor &t, const ConvParams &p, Sequence &prog) {
  createInput(g, p);
  createWeights(g, p);
  createConvOutput(g, p);
  createBiases(g, t);
  createBiases(g, t, p);
  convolution(g, t, t, p, false, prog);
  convolutionWithOutput(g, t, t, t, p, false, prog);
  weightsTransposeChansFlipXY(g, t, t, prog);
  calculateWeightDeltas(g, t, t, p, prog);
  convolutionWeightUpdate(g, t, t, t, p, t, prog);
  convolutionWeightUpdate(g, t, t, t, p, 1.0f, prog);
  convolutionBiasUpdate(g, t, t, t, {}, prog);
  convolutionBiasUpdate(g, t, t, 1.0f, {}, prog);
  addBias(g, t, t, prog);
}

void plans(const Graph &graph, const ConvParams &p) {
  is<std::uint64_t(const ConvParams &)>(getFwdFlops);
  is<std::uint64_t(const ConvParams &)>(getBwdFlops);
  is<std::uint64_t(const ConvParams &)>(getWuFlops);
  is<double(const Graph &, const ConvParams &)>(getFwdPerfectCycleCount);
  is<double(const Graph &, const ConvParams &)>(getBwdPerfectCycleCount);
  is<double(const Graph &, const ConvParams &)>(getWuPerfectCycleCount);
  using Report = void(std::ostream &, const Graph &, const ConvParams &,
                      const OptionFlags &, PlanningCache *);
  is<Report>(reportPlanInfo);
  is<Report>(reportWeightUpdatePlanInfo);
  is<PlanCosts(const Graph &, const ConvParams &, const OptionFlags &,
               PlanningCache *)>(reportPlanEstimatedCosts);
  is<void(const OptionFlags &)>(convolutionValidateOptions);
  is<void(const std::set<ConvPlanParams> &, PlanningCache &)>(
      preplanConvolutions);
  is<void(Graph &, const std::set<ConvPlanParams> &, PlanningCache &)>(
      preplanConvolutions);
  static_assert(
      std::is_same<ConvPlanParams, std::tuple<const Target *, const ConvParams,
                                              const OptionFlags *>>::value,
      "");
  static_assert(!std::is_copy_constructible<PlanningCache>::value, "");
  const PlanningCache cache;
  const std::size_t size = cache.size();
  const PlanCosts costs = reportPlanEstimatedCosts(graph, p);
  const bool known = costs.cycles != PlanCosts::unknown && costs.memory > size;
  static_cast<void>(known);
  reportPlanInfo(std::cout, graph, p);
  reportWeightUpdatePlanInfo(std::cout, graph, p);
}

void several(Graph &graph, const Tensor &t, const ConvParams &p,
             Sequence &prog) {
  using namespace multiconv;
  using DC = const DebugContext &;
  using OF = const OptionFlags &;
  using PC = PlanningCache *;
  is<Tensor(Graph &, const std::vector<CreateTensorArgs> &, unsigned, OF, PC)>(
      multiconv::createWeights);
  is<Tensor(Graph &, const std::vector<CreateTensorArgs> &, unsigned, OF, PC)>(
      multiconv::createInput);
  is<void(Graph &, std::vector<ConvolutionArgs> &, const std::vector<Tensor> &,
          Sequence &, OF, DC, PC)>(multiconv::weightsTransposeChansFlipXY);
  is<std::vector<Tensor>(Graph &, const std::vector<ConvolutionArgs> &, bool,
                         Sequence &, DC, OF, PC)>(multiconv::convolution);
  is<std::vector<Tensor>(
      Graph &, const std::vector<CalculateWeightDeltasArgs> &, Sequence &, DC,
      OF, PC)>(multiconv::calculateWeightDeltas);
  is<void(Graph &, const std::vector<ConvWeightUpdateArgs> &, Sequence &, DC,
          OF, PC)>(multiconv::convolutionWeightUpdate);
  is<void(Graph &, const std::vector<ConvWeightUpdateArgsScalar> &, Sequence &,
          DC, OF, PC)>(multiconv::convolutionWeightUpdate);
  const std::vector<CreateTensorArgs> create{{p, {}, "name"}};
  multiconv::createInput(graph, create, 0);
  multiconv::createWeights(graph, create, 0);
  multiconv::convolution(graph, {{t, t, p, {}}}, false, prog);
  multiconv::calculateWeightDeltas(graph, {{t, t, p, {}}}, prog);
  const std::vector<ConvWeightUpdateArgs> byTensor{{t, t, t, t, p, {}}};
  const std::vector<ConvWeightUpdateArgsScalar> byNumber{{t, t, t, 1, p, {}}};
  multiconv::convolutionWeightUpdate(graph, byTensor, prog);
  multiconv::convolutionWeightUpdate(graph, byNumber, prog);
}

void indices() {
  is<unsigned(unsigned, unsigned)>(getDilatedSize);
  is<unsigned(unsigned, unsigned, unsigned, const ConvParams &)>(getInputIndex);
  is<unsigned(unsigned, unsigned, unsigned, const ConvParams &)>(
      getKernelIndex);
  using OfIndex = Range(unsigned, Range, unsigned, const ConvParams &);
  using OfRange = Range(unsigned, Range, Range, const ConvParams &);
  is<OfIndex>(getOutputRangeForKernelIndex);
  is<OfIndex>(getOutputRangeForInputIndex);
  is<OfRange>(getOutputRangeForKernelRange);
  is<OfRange>(getOutputRangeForInputRange);
  is<OfIndex>(getInputRange);
  is<OfIndex>(getKernelRange);
  is<OfRange>(getInputRange);
  is<OfRange>(getKernelRange);
  is<Range(unsigned, unsigned, Range, const ConvParams &)>(getInputRange);
  is<Range(unsigned, unsigned, const ConvParams &)>(getInputRange);
  is<Range(unsigned, Range, const ConvParams &)>(getInputRange);
  is<ConvParams(const ConvParams &)>(getGradientParams);
  is<ConvParams(const ConvParams &)>(getWeightUpdateParams);
}

} // namespace

// Declared, so that none of the functions above is unused.
void nameEverySignature(Graph &graph, const Tensor &t, const ConvParams &p,
                        Sequence &prog);

void nameEverySignature(Graph &graph, const Tensor &t, const ConvParams &p,
                        Sequence &prog) {
  params();
  transforms();
  tensors();
  operations();
  defaults(graph, t, p, prog);
  plans(graph, p);
  several(graph, t, p, prog);
  indices();
}
