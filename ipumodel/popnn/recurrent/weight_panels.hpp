// Weights that every step of a sequence multiplies with, copied once per run
// into panels of a few columns: a panel stays in the first cache while all rows
// of a block pass, and its rows do not share cache sets. The fewer columns, the
// more rows a tile of the product has, and the less it reads of the weights,
// which all panels together find in the second cache at best.
#pragma once

#include "poplar/plan/memory_plan.hpp"
#include "poplar/run/execution_state.hpp"

#include <cstddef>

namespace ipumodel {

// Where an element of a matrix is: row * rowStep + column * columnStep.
struct MatrixSteps {
  std::size_t row, column;
};

// Rows that are `step` elements apart, in lines that are `lineStep` apart.
struct RowSteps {
  std::size_t step, lineStep = 0;
};

// A matrix of [depth, width].
class WeightPanels {
public:
  WeightPanels(std::size_t depth, std::size_t width, ScratchFrame &frame);

  void pack(const float *weights, MatrixSteps steps, const Replica &replica,
            ThreadPool &pool) const;

  // c [rows, width] = [c +] a [rows, depth] * weights + bias, which may be
  // null; the rows are aStep and cStep elements apart.
  void multiply(const Replica &replica, const float *a, std::size_t aStep,
                std::size_t rows, float *c, std::size_t cStep, bool accumulate,
                const float *bias = nullptr) const {
    multiply(replica, rows, 1, a, {aStep}, c, {cStep}, accumulate, bias);
  }
  // The same for several lines of as many rows.
  void multiply(const Replica &replica, std::size_t rows, std::size_t lines,
                const float *a, RowSteps aSteps, float *c, RowSteps cSteps,
                bool accumulate, const float *bias = nullptr) const;

private:
  static constexpr std::size_t kColumns = 32; // of a panel

  std::size_t numPanels() const { return (width_ + kColumns - 1) / kColumns; }
  float *panel(const Replica &replica, std::size_t index) const {
    return reinterpret_cast<float *>(replica.scratch.data() + offset_) +
           index * depth_ * kColumns;
  }

  std::size_t depth_, width_;
  std::size_t offset_; // in scratch memory
};

} // namespace ipumodel
