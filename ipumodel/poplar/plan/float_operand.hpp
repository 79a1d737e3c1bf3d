// A HALF or FLOAT operand for kernels that compute with floats.
#pragma once

#include "poplar/plan/float_array.hpp"
#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/type_info.hpp"

namespace ipumodel {

// The elements in row-major order of the view.
class FloatOperand {
public:
  FloatOperand(const View &view, poplar::Type type, Access access,
               PlanBuilder &builder, ScratchFrame &frame)
      : operand_(view, sizeOf(type), access, builder, frame),
        wide_(type, view.numElements(), frame) {}
  FloatOperand(const TensorData &tensor, Access access, PlanBuilder &builder,
               ScratchFrame &frame)
      : FloatOperand(tensor.view, tensor.type, access, builder, frame) {}

  const float *load(const Replica &replica, ThreadPool &pool) const {
    operand_.load(replica, pool);
    return wide_.widen(operand_.at(replica), replica, pool);
  }
  // What load() returned.
  const float *loaded(const Replica &replica) const { return target(replica); }
  // True if these are the elements of the tensor, and not a copy.
  bool isInPlace() const { return !operand_.isStaged() && !wide_.isWidened(); }
  // The buffer for the elements that store() then writes.
  float *target(const Replica &replica) const {
    return wide_.target(operand_.at(replica), replica);
  }
  // The same, filled with the present elements.
  float *loadTarget(const Replica &replica, ThreadPool &pool) const {
    load(replica, pool);
    return target(replica);
  }
  void store(const Replica &replica, ThreadPool &pool) const {
    wide_.narrow(operand_.at(replica), replica, pool);
    operand_.store(replica, pool);
  }

private:
  NativeOperand operand_;
  FloatArray wide_;
};

} // namespace ipumodel
