// The fields of ConvParams, for executables. See base/binary_io.hpp.
#pragma once

#include "poplar/base/binary_io.hpp"
#include "poplar/values/type_info.hpp"

#include <poplin/ConvParams.hpp>

#include <vector>

namespace ipumodel {

template <class Io>
void transfer(Io &io, poplin::ConvParams::InputTransform &transform) {
  io(transform.truncationLower, transform.truncationUpper, transform.dilation,
     transform.paddingLower, transform.paddingUpper);
  std::vector<unsigned> flip(transform.flip.begin(), transform.flip.end());
  io(flip);
  transform.flip.assign(flip.begin(), flip.end());
}

template <class Io>
void transfer(Io &io, poplin::ConvParams::OutputTransform &transform) {
  io(transform.truncationLower, transform.truncationUpper, transform.stride,
     transform.paddingLower, transform.paddingUpper);
}

template <class Io> void transfer(Io &io, poplin::ConvParams &params) {
  io(params.inputType, params.outputType, params.batchSize,
     params.inputFieldShape, params.kernelShape,
     params.inputChannelsPerConvGroup, params.outputChannelsPerConvGroup,
     params.numConvGroups, params.inputTransform, params.kernelTransform,
     params.outputTransform);
  if constexpr (Io::kReading)
    params.validate();
}

} // namespace ipumodel
