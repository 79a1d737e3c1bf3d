#include "poplin/conv/conv_geometry.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace ipumodel {

using poplin::ConvParams;

bool isEach(const std::vector<unsigned> &values, unsigned expected) {
  return std::all_of(values.begin(), values.end(),
                     [&](unsigned value) { return value == expected; });
}

bool isOnlyPadded(const ConvParams::InputTransform &t) {
  return isEach(t.truncationLower, 0) && isEach(t.truncationUpper, 0) &&
         isEach(t.dilation, 1) &&
         std::none_of(t.flip.begin(), t.flip.end(), [](bool f) { return f; });
}

bool isUntransformed(const ConvParams::InputTransform &t) {
  return isOnlyPadded(t) && isEach(t.paddingLower, 0) &&
         isEach(t.paddingUpper, 0);
}

ConvGeometry::ConvGeometry(const ConvParams &params)
    : batch(params.batchSize), groups(params.numConvGroups),
      inChannels(params.inputChannelsPerConvGroup),
      outChannels(params.outputChannelsPerConvGroup) {
  const std::size_t fields = params.getNumFieldDims();
  for (std::size_t i = 0; i < kDims; ++i) {
    // With fewer field dimensions, the first ones here have size one.
    if (i + fields < kDims) {
      input[i] = kernel[i] = output[i] = paddedOut[i] = stride[i] = 1;
      outBegin[i] = start[i] = 0;
      place[i] = {0};
      continue;
    }
    const auto dim = static_cast<unsigned>(i + fields - kDims);
    const ConvParams::InputTransform &k = params.kernelTransform;
    const ConvParams::OutputTransform &out = params.outputTransform;
    input[i] = params.getTransformedInputSize(dim);
    kernel[i] = params.getTruncatedKernelSize(dim);
    paddedOut[i] = params.getOutputSize(dim);
    outBegin[i] = out.paddingLower[dim];
    output[i] = paddedOut[i] - outBegin[i] - out.paddingUpper[dim];
    start[i] = out.truncationLower[dim];
    stride[i] = out.stride[dim];
    const std::size_t total = params.getTransformedKernelSize(dim);
    for (std::size_t e = 0; e < kernel[i]; ++e) {
      const std::size_t at = k.paddingLower[dim] + e * k.dilation[dim];
      place[i].push_back(k.flip[dim] ? total - 1 - at : at);
    }
  }
  rowsAreContiguous_ =
      groups == 1 && kernel[0] > 0 && kernel[1] > 0 && kernel[2] > 0;
  for (std::size_t e = 1; e < kernel[2]; ++e)
    rowsAreContiguous_ =
        rowsAreContiguous_ && place[2][e] == place[2][e - 1] + 1;
}

std::size_t ConvGeometry::flops() const {
  return 2 * batch * output[0] * output[1] * output[2] * kernel[0] * kernel[1] *
         kernel[2] * inChannels * totalOut();
}

std::size_t ConvGeometry::kernelRuns() const {
  return kernel[0] * kernel[1] * (rowsAreContiguous_ ? 1 : kernel[2]);
}

bool ConvGeometry::equalLines() const {
  if (!rowsAreContiguous_)
    return false;
  for (std::size_t run = 1; run < kernelRuns(); ++run)
    if (runOffset(run) < runOffset(run - 1) ||
        runOffset(run) - runOffset(run - 1) != runOffset(1) - runOffset(0))
      return false;
  return true;
}

std::size_t ConvGeometry::runOffset(std::size_t run) const {
  const std::size_t columns = rowsAreContiguous_ ? 1 : kernel[2];
  const std::size_t w = run % columns;
  const std::size_t h = run / columns % kernel[1];
  const std::size_t d = run / columns / kernel[1];
  return ((place[0][d] * input[1] + place[1][h]) * input[2] + place[2][w]) *
         totalIn();
}

namespace {

// Inserts dimensions of size one at `first`, before the field dimensions, until
// there are three field dimensions.
View withThreeFields(const View &view, std::size_t first) {
  Shape shape = view.shape();
  while (shape.size() < first + ConvGeometry::kDims)
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(first), 1);
  return view.reshape(shape);
}

} // namespace

View channelsLast(const View &view) {
  return withThreeFields(view, 2).dimShuffle({0, 2, 3, 4, 1});
}

View kernelFirst(const View &weights) {
  return withThreeFields(weights, 3).dimShuffle({0, 3, 4, 5, 2, 1});
}

TransformedInput::TransformedInput(const View &view, const ConvParams &params,
                                   const ConvGeometry &geometry,
                                   std::size_t elementSize,
                                   PlanBuilder &builder, ScratchFrame &frame) {
  View source = channelsLast(view);
  const std::size_t missing = ConvGeometry::kDims - params.getNumFieldDims();
  const ConvParams::InputTransform &t = params.inputTransform;
  bool changed = false;
  const std::size_t total = geometry.batch * geometry.imageSize();
  View target(kFlat, {geometry.batch, geometry.input[0], geometry.input[1],
                      geometry.input[2], geometry.totalIn()});
  for (unsigned dim = 0; dim < params.getNumFieldDims(); ++dim) {
    const std::size_t at = 1 + missing + dim;
    source = source.slice(at, t.truncationLower[dim],
                          source.shape()[at] - t.truncationUpper[dim]);
    if (t.flip[dim])
      target = target.reverse(at);
    const std::size_t size = target.shape()[at];
    View inner =
        target.slice(at, t.paddingLower[dim], size - t.paddingUpper[dim]);
    if (t.dilation[dim] > 1 && inner.shape()[at] > 0) {
      // Every dilation-th element: splits the dimension into steps and keeps
      // the first of each.
      const std::size_t step = t.dilation[dim];
      const std::size_t whole = inner.shape()[at] / step * step;
      View first = inner.slice(at, 0, whole);
      Shape shape = first.shape();
      shape[at] = whole / step;
      shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1, step);
      first = first.reshape(shape).slice(at + 1, 0, 1).dropDim(at + 1);
      const View last = inner.slice(at, whole, whole + 1);
      inner = View::concat({&first, &last}, at);
    }
    changed = changed || t.truncationLower[dim] || t.truncationUpper[dim] ||
              t.flip[dim] || inner.shape()[at] != size;
    target = inner;
  }
  const std::optional<std::size_t> place =
      changed ? std::nullopt : builder.contiguousOffset(source, elementSize);
  inPlace_ = place.has_value();
  if (inPlace_) {
    offset_ = *place;
    return;
  }
  offset_ = frame.take(total * elementSize, Buffer::kAlignment);
  if (target.numElements() != total)
    bytes_ = total * elementSize;
  copy_ = builder.memory().lowerCopy(target, source, elementSize);
}

const char *TransformedInput::load(const Replica &replica,
                                   ThreadPool &pool) const {
  if (inPlace_)
    return replica.memory.data() + offset_;
  char *to = replica.scratch.data() + offset_;
  if (bytes_)
    std::memset(to, 0, bytes_);
  copy_.run(to, replica.memory.data(), pool);
  return to;
}

} // namespace ipumodel
