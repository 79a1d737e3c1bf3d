// Operands of products as floats. Sums are accumulated in float whatever the
// tensors' type, so HALF operands are widened first and results rounded once.
#pragma once

#include "poplar/plan/native_kernel.hpp"

#include <cstddef>

namespace ipumodel {

class FloatArray {
public:
  // `count` elements of HALF or FLOAT.
  FloatArray(poplar::Type type, std::size_t count, ScratchFrame &frame);

  // The elements at `data` as floats: `data` itself, or a widened copy.
  const float *widen(const char *data, const Replica &replica,
                     ThreadPool &pool) const;
  // What widen() returned for `data`.
  const float *widened(const char *data, const Replica &replica) const {
    return reinterpret_cast<const float *>(
        isHalf_ ? replica.scratch.data() + offset_ : data);
  }
  // False if these are at `data` itself.
  bool isWidened() const { return isHalf_; }
  // The buffer for the floats that narrow() then stores at `data`.
  float *target(char *data, const Replica &replica) const;
  void narrow(char *data, const Replica &replica, ThreadPool &pool) const;

private:
  bool isHalf_;
  std::size_t count_;
  std::size_t offset_ = 0; // in scratch memory
};

} // namespace ipumodel
