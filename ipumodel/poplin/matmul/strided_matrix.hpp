// Factors of a product as floats with known strides.
#pragma once

#include "poplar/plan/float_array.hpp"
#include "poplar/plan/native_kernel.hpp"

#include <cstddef>
#include <optional>

namespace ipumodel {

// A stack of matrices that can be read in place through two strides.
struct Strided {
  std::size_t offset; // bytes, in memory
  std::size_t group, row, column;
};

// The layout of a [g, r, c] view of FLOAT in memory, if its strides are uniform
// and not negative.
std::optional<Strided> stridesOf(const View &view, const MemoryPlan &memory);

// An operand as floats with known strides: in place, or row-major in scratch.
class Matrix {
public:
  Matrix(const TensorData &tensor, bool needsUnitColumns, PlanBuilder &builder,
         ScratchFrame &frame);

  const float *load(const Replica &replica, ThreadPool &pool) const;
  // What load() returned.
  const float *loaded(const Replica &replica) const {
    return operand_ ? array_.widened(operand_->at(replica), replica)
                    : inPlace(replica);
  }

  std::size_t group, row, column; // strides, in elements

private:
  const float *inPlace(const Replica &replica) const {
    return reinterpret_cast<const float *>(replica.memory.data() +
                                           inPlace_->offset);
  }

  FloatArray array_;
  std::optional<Strided> inPlace_;
  std::optional<NativeOperand> operand_;
};

} // namespace ipumodel
