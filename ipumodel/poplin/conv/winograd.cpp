#include "poplin/conv/winograd.hpp"

#include <algorithm>
#include <limits>

namespace ipumodel {

using poplin::ConvParams;

namespace {

// With fewer channels or tiles the transforms, and products of few rows, cost
// more than what is saved.
constexpr std::size_t kMinChannels = 16;
constexpr std::size_t kMinTiles = 9;
constexpr std::size_t kTaskTiles = 4 * kMaxWinogradTiles;
// Input channels of which a thread transforms the kernel at a time.
constexpr std::size_t kChannelsPerTask = 64;

// The largest magnitude of a pixel with which no sum of either method, of
// images or of products, can overflow.
float largestPixel(float largestWeight, std::size_t inChannels) {
  constexpr double kMax = std::numeric_limits<float>::max();
  // Also if it is a NaN.
  if (!(largestWeight < kMax / 8))
    return -1;
  return static_cast<float>(
      std::min(kMax / 8, kMax / (128.0 * double(inChannels) *
                                 std::max(1e-30, double(largestWeight)))));
}

} // namespace

bool WinogradConvolution::fits(const ConvParams &params) {
  const ConvParams::InputTransform &in = params.inputTransform;
  const ConvParams::OutputTransform &out = params.outputTransform;
  const auto isInWindow = [](unsigned padding) { return padding <= 2; };
  if (params.numConvGroups != 1 ||
      params.kernelShape != std::vector<std::size_t>{3, 3} ||
      !isUntransformed(params.kernelTransform) || !isOnlyPadded(in) ||
      !std::all_of(in.paddingLower.begin(), in.paddingLower.end(),
                   isInWindow) ||
      !std::all_of(in.paddingUpper.begin(), in.paddingUpper.end(),
                   isInWindow) ||
      !isEach(out.stride, 1) || !isEach(out.truncationLower, 0) ||
      !isEach(out.truncationUpper, 0) || !isEach(out.paddingLower, 0) ||
      !isEach(out.paddingUpper, 0))
    return false;
  const ConvGeometry g(params);
  return g.inChannels >= kMinChannels && g.outChannels >= kMinChannels &&
         g.inChannels <= kMaxWinogradChannels &&
         (g.output[1] + 1) / 2 * ((g.output[2] + 1) / 2) >= kMinTiles;
}

WinogradConvolution::WinogradConvolution(const ConvParams &params) {
  const ConvGeometry g(params);
  field_.inLines = params.inputFieldShape[0];
  field_.inColumns = params.inputFieldShape[1];
  field_.inChannels = g.inChannels;
  field_.paddingAbove = params.inputTransform.paddingLower[0];
  field_.paddingLeft = params.inputTransform.paddingLower[1];
  field_.outLine = g.output[2] * g.outChannels;
  field_.outChannels = g.outChannels;
  computeOnly(g.output[1], g.output[2]);
}

void WinogradConvolution::computeOnly(std::size_t lines, std::size_t columns) {
  field_.lines = lines;
  field_.columns = columns;
}

std::size_t WinogradConvolution::tasksPerImage() const {
  return (field_.tiles() + kTaskTiles - 1) / kTaskTiles;
}

std::size_t WinogradConvolution::numTransformed() const {
  return field_.kernelSize() + 1; // and the largest pixel
}

void WinogradConvolution::transform(const float *weights, float *transformed,
                                    ThreadPool &pool) const {
  const WinogradField &f = field_;
  const std::size_t tasks =
      (f.inChannels + kChannelsPerTask - 1) / kChannelsPerTask;
  pool.run(tasks, [&](std::size_t task) {
    transformKernel(f, weights, task * kChannelsPerTask,
                    std::min(f.inChannels, (task + 1) * kChannelsPerTask),
                    transformed);
  });
  transformed[f.kernelSize()] =
      largestPixel(largestMagnitude(weights, 9 * f.inChannels * f.outChannels),
                   f.inChannels);
}

bool WinogradConvolution::takes(const float *in,
                                const float *transformed) const {
  // A NaN is not less.
  return largestMagnitude(in, field_.imageSize()) <=
         transformed[field_.kernelSize()];
}

void WinogradConvolution::run(const float *in, const float *transformed,
                              float *out, std::size_t task,
                              const GemmEpilogue &epilogue) const {
  const std::size_t first = task * kTaskTiles;
  makeTiles(field_, first, std::min(kTaskTiles, field_.tiles() - first), in,
            transformed, epilogue, out);
}

} // namespace ipumodel
