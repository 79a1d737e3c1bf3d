// Which rows of a batch of sequences are computed together, and which of them
// have not ended yet.
#pragma once

#include "poplar/plan/native_kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace ipumodel {

struct RowRange {
  std::size_t first, count;
};

// The lengths of sequences: those given, or the maximum.
class SequenceLengths {
public:
  // `lengths` has `given` elements: one for each sequence, one for all, none.
  SequenceLengths(const std::uint32_t *lengths, std::size_t given,
                  std::size_t batch, std::size_t steps)
      : lengths_(lengths), isShared_(given == 1 || batch == 1), steps_(steps) {
    for (std::size_t row = 0; row < (isShared_ ? 1 : batch); ++row)
      longest_ = std::max(longest_, of(row));
  }

  std::size_t of(std::size_t row) const {
    return lengths_
               ? std::min<std::size_t>(lengths_[isShared_ ? 0 : row], steps_)
               : steps_;
  }
  // True for a sequence that ends before others do.
  bool endsEarly(std::size_t row) const { return of(row) < longest_; }

  // Calls f(RowRange, isActive) for the rows of `block` in runs of those that
  // are, or are not, longer than `step`.
  template <class F> void runs(std::size_t step, RowRange block, F &&f) const {
    const std::size_t end = block.first + block.count;
    if (!lengths_ || isShared_)
      return f(block, step < of(block.first));
    for (std::size_t row = block.first; row < end;) {
      const bool isActive = step < of(row);
      std::size_t next = row + 1;
      while (next < end && (step < of(next)) == isActive)
        ++next;
      f(RowRange{row, next - row}, isActive);
      row = next;
    }
  }

private:
  const std::uint32_t *lengths_;
  bool isShared_;
  std::size_t steps_;
  std::size_t longest_ = 0;
};

// Sequences are independent of each other, so a thread takes some through all
// steps without waiting for the others. No result depends on the division.
template <class F>
void forRowBlocks(std::size_t batch, ThreadPool &pool, F &&f) {
  constexpr std::size_t kLeastRows = 4; // that pay for reading the weights
  const std::size_t threads = pool.numThreads();
  const std::size_t rows =
      std::max(kLeastRows, (batch + threads - 1) / threads);
  pool.run((batch + rows - 1) / rows, [&](std::size_t block) {
    f(RowRange{block * rows, std::min(rows, batch - block * rows)});
  });
}

// The tensor of lengths, if there is one.
class LengthsOperand {
public:
  LengthsOperand(const TensorData *tensor, PlanBuilder &builder,
                 ScratchFrame &frame)
      : given_(tensor ? tensor->view.numElements() : 0) {
    if (tensor)
      operand_.emplace(tensor->view, sizeof(std::uint32_t), Access::read,
                       builder, frame);
  }

  SequenceLengths load(std::size_t batch, std::size_t steps,
                       const Replica &replica, ThreadPool &pool) const {
    if (!operand_)
      return {nullptr, 0, batch, steps};
    operand_->load(replica, pool);
    return {reinterpret_cast<const std::uint32_t *>(operand_->at(replica)),
            given_, batch, steps};
  }

private:
  std::size_t given_;
  std::optional<NativeOperand> operand_;
};

// Floats in scratch memory.
class ScratchFloats {
public:
  ScratchFloats(std::size_t count, ScratchFrame &frame)
      : offset_(frame.take(count * sizeof(float), Buffer::kAlignment)) {}
  float *at(const Replica &replica) const {
    return reinterpret_cast<float *>(replica.scratch.data() + offset_);
  }

private:
  std::size_t offset_;
};

} // namespace ipumodel
