// What the functions of plain recurrent layers share.
#pragma once

#include <poplar/OptionFlags.hpp>
#include <poplar/Type.hpp>

namespace ipumodel {

inline poplar::OptionFlags productOptions(const poplar::Type &partialsType,
                                          bool inferenceOnly) {
  return {
      {"partialsType", partialsType == poplar::HALF ? "half" : "float"},
      {"fullyConnectedPass", inferenceOnly ? "INFERENCE_FWD" : "TRAINING_FWD"}};
}

} // namespace ipumodel
