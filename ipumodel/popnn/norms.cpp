#include <poplin/Norms.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/Norms.hpp>

namespace popnn {

using namespace poplar;

Tensor createNormGamma(Graph &graph, const Tensor &acts,
                       const DebugContext &debugContext) {
  return poplin::createNormGamma(graph, acts, debugContext);
}

Tensor createNormBeta(Graph &graph, const Tensor &acts,
                      const DebugContext &debugContext) {
  return poplin::createNormBeta(graph, acts, debugContext);
}

std::pair<Tensor, Tensor> createNormParams(Graph &graph, const Tensor acts,
                                           const DebugContext &debugContext) {
  return poplin::createNormParams(graph, acts, debugContext);
}

// Per activation: a scale and an offset; with statistics also its share in the
// sum and in the sum of squares, and the subtraction and product of whitening.
// Per mean: two divisions, and mean * mean, its subtraction and epsilon.
std::uint64_t getNormFwdFlops(std::size_t statisticsSize,
                              std::size_t numActsElements, bool computeStats) {
  const std::uint64_t acts = numActsElements, means = statisticsSize;
  return computeStats ? 6 * acts + 5 * means : 2 * acts;
}

// Per activation: gamma * gradient, its product with the whitened activation,
// their two sums, and four operations for the result. Per mean: two divisions.
std::uint64_t getNormBwdFlops(std::size_t statisticsSize,
                              std::size_t numActsElements) {
  const std::uint64_t acts = numActsElements, means = statisticsSize;
  return 8 * acts + 2 * means;
}

// Per activation: a product and two sums. Per channel: a product and a sum for
// each of gamma and beta.
std::uint64_t getNormWuFlops(std::size_t paramsSize,
                             std::size_t numActsElements) {
  const std::uint64_t acts = numActsElements, params = paramsSize;
  return 3 * acts + 4 * params;
}

namespace in {

uint64_t getFwdFlops(uint64_t numChannels, uint64_t actsPerChannel,
                     bool computeEstimates) {
  return getNormFwdFlops(numChannels, numChannels * actsPerChannel,
                         computeEstimates);
}

uint64_t getBwdFlops(uint64_t numChannels, uint64_t actsPerChannel) {
  return getNormBwdFlops(numChannels, numChannels * actsPerChannel);
}

uint64_t getWuFlops(uint64_t numChannels, uint64_t actsPerChannel) {
  return getNormWuFlops(numChannels, numChannels * actsPerChannel);
}

} // namespace in

} // namespace popnn
