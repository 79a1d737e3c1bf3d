// Convolutions image by image, for tensors that lie as the products need them.
#include "poplar/batch_stage.hpp"
#include "poplar/type_info.hpp"
#include "poplin/conv_kernel.hpp"
#include "poplin/conv_product.hpp"
#include "poplin/scaled_rows.hpp"

#include <poplar/Type.hpp>

#include <algorithm>
#include <cstring>

namespace ipumodel {

using poplin::ConvParams;

namespace {

bool isEach(const std::vector<unsigned> &values, unsigned expected) {
  return std::all_of(values.begin(), values.end(),
                     [&](unsigned value) { return value == expected; });
}

// Nothing but padding.
bool isOnlyPadded(const ConvParams::InputTransform &t) {
  return isEach(t.truncationLower, 0) && isEach(t.truncationUpper, 0) &&
         isEach(t.dilation, 1) &&
         std::none_of(t.flip.begin(), t.flip.end(), [](bool f) { return f; });
}

bool isUntransformed(const ConvParams::InputTransform &t) {
  return isOnlyPadded(t) && isEach(t.paddingLower, 0) &&
         isEach(t.paddingUpper, 0);
}

// True if the kernel meets every input element at all of its places, as in the
// gradient of a convolution without padding.
bool isFull(const ConvParams &params) {
  const ConvParams::OutputTransform &out = params.outputTransform;
  bool full =
      params.numConvGroups == 1 && isOnlyPadded(params.inputTransform) &&
      isUntransformed(params.kernelTransform) && isEach(out.stride, 1) &&
      isEach(out.truncationLower, 0) && isEach(out.truncationUpper, 0) &&
      isEach(out.paddingLower, 0) && isEach(out.paddingUpper, 0);
  for (std::size_t d = 0; d < params.getNumFieldDims(); ++d)
    full = full &&
           params.inputTransform.paddingLower[d] + 1 == params.kernelShape[d] &&
           params.inputTransform.paddingUpper[d] + 1 == params.kernelShape[d];
  return full;
}

class ConvolutionStage : public BatchStage {
public:
  ConvolutionStage(const ConvParams &params, const View &weights,
                   StageOperands &operands)
      : product_(params),
        weights_(kernelFirst(weights), sizeof(float), Access::read,
                 operands.builder, operands.frame) {}

  void prepare(const Replica &replica, ThreadPool &pool) const override {
    weights_.load(replica, pool);
  }

  void run(const BatchItem &item) const override {
    const auto *weights =
        reinterpret_cast<const float *>(weights_.at(*item.replica));
    auto *out = reinterpret_cast<float *>(item.operands[0]);
    const auto *in = reinterpret_cast<const float *>(item.operands[1]);
    for (std::size_t task = 0; task < product_.tasksPerImage(); ++task)
      product_.run(in, weights, out, task);
  }

private:
  ConvProduct product_;
  NativeOperand weights_;
};

// Adds, for every input element, its multiple of the kernel to the output; the
// gradient of an output that is mostly zero has few of them.
class FullConvolutionStage : public BatchStage {
public:
  FullConvolutionStage(const ConvParams &params, const View &weights,
                       StageOperands &operands)
      : geometry_(params),
        weights_(byInput(weights), sizeof(float), Access::read,
                 operands.builder, operands.frame) {
    const ConvGeometry &g = geometry_;
    outField_ = g.output;
    for (std::size_t d = 0; d < ConvGeometry::kDims; ++d)
      inField_[d] = g.output[d] + 1 - g.kernel[d];
    positions_ = inField_[0] * inField_[1] * inField_[2];
    const std::size_t entries =
        positions_ * g.inChannels + kNonZeroSlack; // if none is zero
    offsetsAt_ = operands.takePerGroup(entries * sizeof(std::uint32_t));
    factorsAt_ = operands.takePerGroup(entries * sizeof(float));
    startsAt_ = operands.takePerGroup((positions_ + 1) * sizeof(std::uint32_t));
    entries_ = entries;
  }

  void prepare(const Replica &replica, ThreadPool &pool) const override {
    weights_.load(replica, pool);
  }

  void run(const BatchItem &item) const override {
    const ConvGeometry &g = geometry_;
    char *const scratch = item.replica->scratch.data();
    auto *offsets = reinterpret_cast<std::uint32_t *>(scratch + offsetsAt_) +
                    item.group * entries_;
    auto *factors =
        reinterpret_cast<float *>(scratch + factorsAt_) + item.group * entries_;
    auto *starts = reinterpret_cast<std::uint32_t *>(scratch + startsAt_) +
                   item.group * (positions_ + 1);
    auto *out = reinterpret_cast<float *>(item.operands[0]);
    const auto *in = reinterpret_cast<const float *>(item.operands[1]);

    const std::size_t run = g.kernel[2] * g.outChannels;
    std::uint32_t found = 0;
    for (std::size_t p = 0; p < positions_; ++p) {
      starts[p] = found;
      found += static_cast<std::uint32_t>(findNonZero(
          in + p * g.inChannels, g.inChannels, static_cast<std::uint32_t>(run),
          offsets + found, factors + found));
    }
    starts[positions_] = found;

    std::memset(out, 0, g.outputImageSize() * sizeof(float));
    const auto *weights =
        reinterpret_cast<const float *>(weights_.at(*item.replica));
    const Lines line{1, run, 0, 0};
    for (std::size_t kd = 0; kd < g.kernel[0]; ++kd)
      for (std::size_t kh = 0; kh < g.kernel[1]; ++kh) {
        const float *kernel =
            weights + (kd * g.kernel[1] + kh) * g.inChannels * run;
        std::size_t p = 0;
        for (std::size_t d = 0; d < inField_[0]; ++d)
          for (std::size_t h = 0; h < inField_[1]; ++h) {
            float *to = out + ((d + kd) * outField_[1] + h + kh) *
                                  outField_[2] * g.outChannels;
            for (std::size_t w = 0; w < inField_[2];
                 ++w, ++p, to += g.outChannels)
              if (starts[p] != starts[p + 1])
                addScaledRows({offsets + starts[p], factors + starts[p],
                               starts[p + 1] - starts[p]},
                              line, kernel, to);
          }
      }
  }

private:
  // [kernel, kernel, in, kernel, out], the kernel turned round: by how far an
  // output element lies behind the input element.
  static View byInput(const View &weights) {
    View view = kernelFirst(weights).dropDim(0);
    for (std::size_t d = 0; d < ConvGeometry::kDims; ++d)
      view = view.reverse(d);
    return view.dimShuffle({0, 1, 3, 2, 4});
  }

  ConvGeometry geometry_;
  NativeOperand weights_;
  ConvGeometry::Extent inField_, outField_;
  std::size_t positions_, entries_;
  std::size_t offsetsAt_, factorsAt_, startsAt_;
};

std::unique_ptr<BatchStage> makeConvolution(const NativeOp &op,
                                            const std::string &name,
                                            StageOperands &operands) {
  ParameterReader reader(op.parameters);
  const ConvParams params = getConvParams(reader);
  const View weights =
      usedWeights(op.inputs[1]->view, params, reader.get<bool>());
  if (params.inputType != poplar::FLOAT || params.outputType != poplar::FLOAT)
    return nullptr;
  const bool full = isFull(params) && weights.numElements() > 0;
  const ConvGeometry geometry(params);
  if (!full && (!isUntransformed(params.inputTransform) ||
                geometry.output != geometry.paddedOut))
    return nullptr;
  if (!operands.addItems(channelsLast(op.outputs[0]->view), sizeof(float),
                         Access::write) ||
      !operands.addItems(channelsLast(op.inputs[0]->view), sizeof(float),
                         Access::read))
    return nullptr;
  operands.addWhole(op.inputs[1]->view, Access::read);
  operands.step = {kConvolutionKernel, name,
                   convCycles(operands.builder.graph().target, geometry)};
  if (full)
    return std::make_unique<FullConvolutionStage>(params, weights, operands);
  return std::make_unique<ConvolutionStage>(params, weights, operands);
}

[[maybe_unused]] const bool registered =
    registerStage(kConvolutionKernel, makeConvolution);

} // namespace

} // namespace ipumodel
