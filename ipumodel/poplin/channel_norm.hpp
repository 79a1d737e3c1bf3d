// The native operations of normalisation of images whose channels are innermost
// in memory, as those of convolutions are. Others are composed of reductions
// and maps.
//
// Activations are [N, positions, C], values of channels [C], all FLOAT.
#pragma once

#include "poplar/plan/native_kernel.hpp"

namespace ipumodel {

// Sums over all but the channels, times `scale`.
struct ChannelSums {
  static constexpr const char *kName = "poplin.channelSums";
  enum class Form : std::uint8_t {
    moments, // sums of x, of its squares <- x
    products // sums of x * y, of y <- x, y
  };
  Form form;
  float scale;

  template <class Io> void fields(Io &io) {
    io.choice(form, Form::products);
    io(scale);
  }
  StagePtr stage(const NativeOp &op, const std::string &name,
                 StageOperands &operands) const;
};

struct ChannelMap {
  static constexpr const char *kName = "poplin.channelMap";
  enum class Form : std::uint8_t {
    whiten, // (x - mean) * scale <- x, mean, scale
    scale,  // x * factor + offset <- x, factor, offset
    centre  // (x - mean - y * factor) * scale <- x, y, mean, factor, scale
  };
  Form form;

  template <class Io> void fields(Io &io) { io.choice(form, Form::centre); }
  StagePtr stage(const NativeOp &op, const std::string &name,
                 StageOperands &operands) const;
};

} // namespace ipumodel
