// Options of convolutions and matrix products. None changes a result here; they
// are checked so that programs fail where they would with PopLibs.
#pragma once

#include <poplar/OptionFlags.hpp>

namespace ipumodel {

// Throw poplar::invalid_option for an unknown option or a bad value.
void checkConvolutionOptions(const poplar::OptionFlags &options);
void checkMatMulOptions(const poplar::OptionFlags &options);

} // namespace ipumodel
