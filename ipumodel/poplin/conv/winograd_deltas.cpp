#include "poplin/conv/winograd_deltas.hpp"

#include "poplin/conv/winograd.hpp"
#include "poplin/conv/winograd_deltas_loops.hpp"

#include <algorithm>
#include <limits>

namespace ipumodel {

namespace {

// Elements of the collected tiles, which together with the sums stay in the
// second-level cache; larger sums do not.
constexpr std::size_t kCollected = 64 * 1024;
constexpr std::size_t kMaxKernel = 8192;  // one element, all channels
constexpr std::size_t kMinCollected = 16; // tiles

} // namespace

bool WinogradDeltas::fits(const poplin::ConvParams &params) {
  return WinogradConvolution::fits(params) &&
         params.inputChannelsPerConvGroup * params.outputChannelsPerConvGroup <=
             kMaxKernel;
}

WinogradDeltas::WinogradDeltas(const poplin::ConvParams &params,
                               StageOperands &operands)
    : field_(WinogradConvolution(params).field()) {
  const std::size_t in = field_.inChannels, out = field_.outChannels;
  // A sum has at most 16 times as many products of transformed elements, which
  // are up to four times as large.
  maxProduct_ = double(std::numeric_limits<float>::max()) /
                (256.0 * double(field_.tiles()) * double(params.batchSize));
  capacity_ = std::max(kMinCollected,
                       kCollected / (kWinogradPlanes * (in + out)) / 4 * 4);
  imageStep_ = capacity_ * in + kWinogradGap;
  deltaStep_ = capacity_ * out + kWinogradGap;
  kernelSize_ = in * out;
  const auto take = [&](std::size_t perPlane) {
    return operands.takePerGroup(kWinogradPlanes * perPlane * sizeof(float));
  };
  stateAt_ = operands.takePerGroup(sizeof(State));
  imageAt_ = take(imageStep_);
  deltaAt_ = take(deltaStep_);
  sumsAt_ = take(kernelSize_);
}

WinogradDeltas::State &WinogradDeltas::stateOf(const BatchItem &item) const {
  return reinterpret_cast<State *>(item.replica->scratch.data() +
                                   stateAt_)[item.group];
}

float *WinogradDeltas::imageTiles(const BatchItem &item) const {
  return reinterpret_cast<float *>(item.replica->scratch.data() + imageAt_) +
         item.group * kWinogradPlanes * imageStep_;
}

float *WinogradDeltas::deltaTiles(const BatchItem &item) const {
  return reinterpret_cast<float *>(item.replica->scratch.data() + deltaAt_) +
         item.group * kWinogradPlanes * deltaStep_;
}

float *WinogradDeltas::sums(const BatchItem &item) const {
  return reinterpret_cast<float *>(item.replica->scratch.data() + sumsAt_) +
         item.group * kWinogradPlanes * kernelSize_;
}

void WinogradDeltas::reset(const BatchItem &item) const {
  stateOf(item) = {0, 0};
}

bool WinogradDeltas::takes(const float *image, const float *deltas) const {
  // A NaN is not less.
  const double largest = largestMagnitude(image, field_.imageSize());
  const double largestDelta =
      largestMagnitude(deltas, field_.lines * field_.outLine);
  constexpr double kMax = std::numeric_limits<float>::max() / 8;
  return largest < kMax && largestDelta < kMax &&
         largest * largestDelta < maxProduct_;
}

void WinogradDeltas::add(const BatchItem &item, const float *image,
                         const float *deltas) const {
  State &state = stateOf(item);
  for (std::size_t first = 0; first < field_.tiles();) {
    const std::size_t count =
        std::min(capacity_ - state.tiles, field_.tiles() - first);
    transformTiles(field_, first, count, image,
                   imageTiles(item) + state.tiles * field_.inChannels,
                   imageStep_);
    transformDeltas(field_, first, count, deltas,
                    deltaTiles(item) + state.tiles * field_.outChannels,
                    deltaStep_);
    first += count;
    state.tiles += static_cast<std::uint32_t>(count);
    if (state.tiles == capacity_)
      multiply(item);
  }
}

void WinogradDeltas::multiply(const BatchItem &item) const {
  State &state = stateOf(item);
  const std::size_t in = field_.inChannels, out = field_.outChannels;
  const GemmShape shape = GemmShape::matrix(in, out, 1, in, out, out);
  const GemmTerm term{0, 0, state.tiles};
  GemmEpilogue epilogue;
  epilogue.accumulate = state.hasSums != 0;
  for (std::size_t plane = 0; plane < kWinogradPlanes; ++plane)
    gemm(shape, 0, in, imageTiles(item) + plane * imageStep_,
         deltaTiles(item) + plane * deltaStep_, &term, 1,
         sums(item) + plane * kernelSize_, epilogue);
  state = {0, 1};
}

bool WinogradDeltas::isUsed(const BatchItem &item) const {
  const State &state = stateOf(item);
  return state.tiles > 0 || state.hasSums;
}

void WinogradDeltas::addTo(const BatchItem &item, float *gradient) const {
  if (stateOf(item).tiles > 0)
    multiply(item);
  addKernelDeltas(sums(item), kernelSize_, gradient);
}

} // namespace ipumodel
