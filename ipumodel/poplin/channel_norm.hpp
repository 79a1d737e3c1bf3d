// The native operations of normalisation of images whose channels are innermost
// in memory, as those of convolutions are. Others are composed of reductions
// and maps.
//
// Operators have activations as [N, positions, C], values of channels as [C],
// all FLOAT; the functions below take them as they are given to a norm.
#pragma once

#include "poplar/plan/native_kernel.hpp"

#include <poplar/DebugContext.hpp>

#include <vector>

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

// True if the channels of images are innermost in memory, and the operators are
// possible and worthwhile.
bool areChannelRows(const poplar::Tensor &acts);
// The same, and each of `values` has one for each channel.
bool areChannelValues(const poplar::Tensor &acts,
                      const std::vector<poplar::Tensor> &values);

// Both sums.
std::vector<poplar::Tensor>
channelSums(poplar::Graph &graph, ChannelSums::Form form, float scale,
            const std::vector<poplar::Tensor> &of,
            poplar::program::Sequence &prog,
            const poplar::DebugContext &debugContext);
poplar::Tensor channelMap(poplar::Graph &graph, ChannelMap::Form form,
                          const std::vector<poplar::Tensor> &of,
                          const std::vector<poplar::Tensor> &values,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext);

} // namespace ipumodel
