// The rows of an operand's innermost dimension, as floats.
#pragma once

#include "poplar/float_array.hpp"
#include "poplar/native_kernel.hpp"
#include "poplar/type_info.hpp"

namespace ipumodel {

class RowOperand {
public:
  RowOperand(const TensorData &tensor, Access access, PlanBuilder &builder,
             ScratchFrame &frame)
      : operand_(tensor.view, sizeOf(tensor.type), access, builder, frame),
        wide_(tensor.type, tensor.view.numElements(), frame) {}

  const float *load(const Replica &replica, ThreadPool &pool) const {
    operand_.load(replica, pool);
    return wide_.widen(operand_.at(replica), replica, pool);
  }
  float *target(const Replica &replica) const {
    return wide_.target(operand_.at(replica), replica);
  }
  void store(const Replica &replica, ThreadPool &pool) const {
    wide_.narrow(operand_.at(replica), replica, pool);
    operand_.store(replica, pool);
  }

private:
  NativeOperand operand_;
  FloatArray wide_;
};

// Rows one task takes.
constexpr std::size_t kTaskRows = 64;

template <class F> void forRows(std::size_t rows, ThreadPool &pool, F &&f) {
  pool.run((rows + kTaskRows - 1) / kTaskRows, [&](std::size_t task) {
    const std::size_t end = std::min(rows, (task + 1) * kTaskRows);
    for (std::size_t row = task * kTaskRows; row < end; ++row)
      f(row);
  });
}

} // namespace ipumodel
