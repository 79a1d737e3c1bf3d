#include <poplin/ConvParams.hpp>
#include <poplin/ConvUtil.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <string>
#include <tuple>

namespace poplin {

using poputil::poplibs_error;

ConvParams::InputTransform::InputTransform(const std::size_t size)
    : InputTransform(
          std::vector<unsigned>(size, 0), std::vector<unsigned>(size, 0),
          std::vector<unsigned>(size, 1), std::vector<unsigned>(size, 0),
          std::vector<unsigned>(size, 0), std::vector<bool>(size, false)) {}

ConvParams::InputTransform::InputTransform(
    std::vector<unsigned> truncationLower,
    std::vector<unsigned> truncationUpper, std::vector<unsigned> dilation,
    std::vector<unsigned> paddingLower, std::vector<unsigned> paddingUpper,
    std::vector<bool> flip)
    : truncationLower(std::move(truncationLower)),
      truncationUpper(std::move(truncationUpper)),
      dilation(std::move(dilation)), paddingLower(std::move(paddingLower)),
      paddingUpper(std::move(paddingUpper)), flip(std::move(flip)) {}

ConvParams::OutputTransform::OutputTransform(const std::size_t size)
    : OutputTransform(
          std::vector<unsigned>(size, 0), std::vector<unsigned>(size, 0),
          std::vector<unsigned>(size, 1), std::vector<unsigned>(size, 0),
          std::vector<unsigned>(size, 0)) {}

ConvParams::OutputTransform::OutputTransform(
    std::vector<unsigned> truncationLower,
    std::vector<unsigned> truncationUpper, std::vector<unsigned> striding,
    std::vector<unsigned> paddingLower, std::vector<unsigned> paddingUpper)
    : truncationLower(std::move(truncationLower)),
      truncationUpper(std::move(truncationUpper)), stride(std::move(striding)),
      paddingLower(std::move(paddingLower)),
      paddingUpper(std::move(paddingUpper)) {}

namespace {

auto asTuple(const ConvParams::InputTransform &t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.dilation,
                  t.paddingLower, t.paddingUpper, t.flip);
}

auto asTuple(const ConvParams::OutputTransform &t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.stride,
                  t.paddingLower, t.paddingUpper);
}

auto asTuple(const ConvParams &p) {
  return std::tie(p.inputType, p.outputType, p.batchSize, p.inputFieldShape,
                  p.kernelShape, p.inputChannelsPerConvGroup,
                  p.outputChannelsPerConvGroup, p.numConvGroups,
                  p.inputTransform, p.kernelTransform, p.outputTransform);
}

} // namespace

bool operator<(const ConvParams::InputTransform &a,
               const ConvParams::InputTransform &b) {
  return asTuple(a) < asTuple(b);
}
bool operator==(const ConvParams::InputTransform &a,
                const ConvParams::InputTransform &b) {
  return asTuple(a) == asTuple(b);
}
bool operator!=(const ConvParams::InputTransform &a,
                const ConvParams::InputTransform &b) {
  return !(a == b);
}
bool operator<(const ConvParams::OutputTransform &a,
               const ConvParams::OutputTransform &b) {
  return asTuple(a) < asTuple(b);
}
bool operator==(const ConvParams::OutputTransform &a,
                const ConvParams::OutputTransform &b) {
  return asTuple(a) == asTuple(b);
}
bool operator!=(const ConvParams::OutputTransform &a,
                const ConvParams::OutputTransform &b) {
  return !(a == b);
}
bool operator<(const ConvParams &a, const ConvParams &b) {
  return asTuple(a) < asTuple(b);
}
bool operator==(const ConvParams &a, const ConvParams &b) {
  return asTuple(a) == asTuple(b);
}
bool operator!=(const ConvParams &a, const ConvParams &b) { return !(a == b); }

ConvParams::ConvParams(poplar::Type dataType, std::size_t batchSize,
                       std::vector<std::size_t> inputFieldShape,
                       std::vector<std::size_t> kernelShape,
                       std::size_t inputChannels, std::size_t outputChannels,
                       std::size_t numConvGroups)
    : ConvParams(dataType, dataType, batchSize, std::move(inputFieldShape),
                 std::move(kernelShape), inputChannels, outputChannels,
                 numConvGroups) {}

ConvParams::ConvParams(poplar::Type inputType, poplar::Type outputType,
                       std::size_t batchSize,
                       std::vector<std::size_t> inputFieldShape,
                       std::vector<std::size_t> kernelShape,
                       std::size_t inputChannels, std::size_t outputChannels,
                       std::size_t numConvGroups)
    : ConvParams(inputType, outputType, batchSize, inputFieldShape, kernelShape,
                 inputChannels, outputChannels, numConvGroups,
                 InputTransform(inputFieldShape.size()),
                 InputTransform(inputFieldShape.size()),
                 OutputTransform(inputFieldShape.size())) {}

ConvParams::ConvParams(poplar::Type inputType, poplar::Type outputType,
                       std::size_t batchSize,
                       std::vector<std::size_t> inputFieldShape,
                       std::vector<std::size_t> kernelShape,
                       std::size_t inputChannels, std::size_t outputChannels,
                       std::size_t numConvGroups, InputTransform inputTransform,
                       InputTransform kernelTransform,
                       OutputTransform outputTransform)
    : inputType(inputType), outputType(outputType), batchSize(batchSize),
      inputFieldShape(std::move(inputFieldShape)),
      kernelShape(std::move(kernelShape)),
      inputChannelsPerConvGroup(inputChannels),
      outputChannelsPerConvGroup(outputChannels), numConvGroups(numConvGroups),
      inputTransform(std::move(inputTransform)),
      kernelTransform(std::move(kernelTransform)),
      outputTransform(std::move(outputTransform)) {}

namespace {

unsigned truncated(std::size_t size, const ConvParams::InputTransform &t,
                   unsigned dim) {
  return static_cast<unsigned>(size) - t.truncationLower[dim] -
         t.truncationUpper[dim];
}

unsigned transformed(std::size_t size, const ConvParams::InputTransform &t,
                     unsigned dim) {
  return t.paddingLower[dim] +
         getDilatedSize(truncated(size, t, dim), t.dilation[dim]) +
         t.paddingUpper[dim];
}

} // namespace

unsigned ConvParams::getTruncatedInputSize(unsigned dim) const {
  return truncated(inputFieldShape[dim], inputTransform, dim);
}
unsigned ConvParams::getTruncatedKernelSize(unsigned dim) const {
  return truncated(kernelShape[dim], kernelTransform, dim);
}
unsigned ConvParams::getTransformedInputSize(unsigned dim) const {
  return transformed(inputFieldShape[dim], inputTransform, dim);
}
unsigned ConvParams::getTransformedKernelSize(unsigned dim) const {
  return transformed(kernelShape[dim], kernelTransform, dim);
}

std::size_t ConvParams::getUntransformedOutputSize(unsigned dim) const {
  return getTransformedInputSize(dim) - getTransformedKernelSize(dim) + 1;
}

std::size_t ConvParams::getOutputSize(unsigned dim) const {
  const OutputTransform &t = outputTransform;
  const std::size_t kept = getUntransformedOutputSize(dim) -
                           t.truncationLower[dim] - t.truncationUpper[dim];
  return t.paddingLower[dim] + (kept + t.stride[dim] - 1) / t.stride[dim] +
         t.paddingUpper[dim];
}

std::vector<std::size_t> ConvParams::getOutputFieldShape() const {
  std::vector<std::size_t> shape;
  for (unsigned dim = 0; dim < getNumFieldDims(); ++dim)
    shape.push_back(getOutputSize(dim));
  return shape;
}

void ConvParams::validate() const {
  const std::size_t dims = inputFieldShape.size();
  const auto checkLength = [&](std::size_t length, const char *what) {
    if (length != dims)
      throw poplibs_error("Number of " + std::string(what) + " entries (" +
                          std::to_string(length) +
                          ") does not match the number of field dimensions (" +
                          std::to_string(dims) + ")");
  };
  checkLength(kernelShape.size(), "kernel");
  const auto checkInput = [&](const InputTransform &t, const char *what,
                              const std::vector<std::size_t> &shape) {
    checkLength(t.truncationLower.size(), "lower truncation");
    checkLength(t.truncationUpper.size(), "upper truncation");
    checkLength(t.dilation.size(), "dilation");
    checkLength(t.paddingLower.size(), "lower padding");
    checkLength(t.paddingUpper.size(), "upper padding");
    checkLength(t.flip.size(), "flip");
    for (std::size_t dim = 0; dim < dims; ++dim) {
      if (t.dilation[dim] == 0)
        throw poplibs_error(std::string(what) + " dilation of dimension " +
                            std::to_string(dim) + " is 0");
      if (t.truncationLower[dim] + t.truncationUpper[dim] > shape[dim])
        throw poplibs_error(std::string(what) + " truncation of dimension " +
                            std::to_string(dim) + " is larger than its size");
    }
  };
  checkInput(inputTransform, "input", inputFieldShape);
  checkInput(kernelTransform, "kernel", kernelShape);
  const OutputTransform &out = outputTransform;
  checkLength(out.truncationLower.size(), "output lower truncation");
  checkLength(out.truncationUpper.size(), "output upper truncation");
  checkLength(out.stride.size(), "stride");
  checkLength(out.paddingLower.size(), "output lower padding");
  checkLength(out.paddingUpper.size(), "output upper padding");
  for (unsigned dim = 0; dim < dims; ++dim) {
    const std::string where = " in dimension " + std::to_string(dim);
    if (out.stride[dim] == 0)
      throw poplibs_error("stride is 0" + where);
    const unsigned kernel = getTransformedKernelSize(dim);
    if (kernel == 0)
      throw poplibs_error("transformed kernel size is 0" + where);
    const unsigned input = getTransformedInputSize(dim);
    if (kernel > input)
      throw poplibs_error("transformed kernel of " + std::to_string(kernel) +
                          " is larger than the transformed input of " +
                          std::to_string(input) + where);
    if (out.truncationLower[dim] + out.truncationUpper[dim] >
        input - kernel + 1)
      throw poplibs_error("output truncation is larger than the output" +
                          where);
  }
}

ConvParams ConvParams::canonicalize() const {
  validate();
  ConvParams result = *this;
  for (unsigned dim = 0; dim < getNumFieldDims(); ++dim) {
    // Padding comes before the flip, so the lower padding of a flipped input is
    // at its upper end. Padding that is truncated again cancels, as long as one
    // element is left for the kernel.
    InputTransform &in = result.inputTransform;
    OutputTransform &out = result.outputTransform;
    unsigned &lower =
        in.flip[dim] ? in.paddingUpper[dim] : in.paddingLower[dim];
    unsigned &upper =
        in.flip[dim] ? in.paddingLower[dim] : in.paddingUpper[dim];
    const auto cancel = [&](unsigned &padding, unsigned &truncation) {
      const auto spare =
          static_cast<unsigned>(result.getUntransformedOutputSize(dim) - 1);
      const unsigned both = std::min({padding, truncation, spare});
      padding -= both;
      truncation -= both;
    };
    cancel(lower, out.truncationLower[dim]);
    cancel(upper, out.truncationUpper[dim]);
  }
  return result;
}

} // namespace poplin
