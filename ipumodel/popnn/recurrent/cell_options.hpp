// The options of LSTMs and GRUs. They are checked; only the type of the
// weights' gradients changes a result.
#pragma once

#include <poplar/OptionFlags.hpp>
#include <poplar/Type.hpp>

namespace ipumodel {

struct CellOptions {
  bool inferenceOnly;
  poplar::Type accumulatorsType; // of the weights' gradients
  poplar::OptionFlags products;  // of matrix products
};

// Throw poplar::invalid_option for an unknown option or a bad value.
CellOptions lstmOptions(const poplar::OptionFlags &options,
                        const poplar::Type &dataType);
CellOptions gruOptions(const poplar::OptionFlags &options,
                       const poplar::Type &dataType);

} // namespace ipumodel
