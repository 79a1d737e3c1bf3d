#include "popnn/recurrent/weight_panels.hpp"

#include "poplin/matmul/gemm.hpp"

#include <algorithm>

namespace ipumodel {

WeightPanels::WeightPanels(std::size_t depth, std::size_t width,
                           ScratchFrame &frame)
    : depth_(depth), width_(width),
      offset_(frame.take(numPanels() * depth * kColumns * sizeof(float),
                         Buffer::kAlignment)) {}

void WeightPanels::pack(const float *weights, MatrixSteps steps,
                        const Replica &replica, ThreadPool &pool) const {
  pool.run(numPanels(), [&](std::size_t index) {
    const std::size_t column = index * kColumns;
    const std::size_t columns = std::min(kColumns, width_ - column);
    const float *from = weights + column * steps.column;
    float *to = panel(replica, index);
    for (std::size_t k = 0; k < depth_; ++k, to += kColumns)
      if (steps.column == 1)
        std::copy_n(from + k * steps.row, columns, to);
      else
        for (std::size_t c = 0; c < columns; ++c)
          to[c] = from[k * steps.row + c * steps.column];
  });
}

void WeightPanels::multiply(const Replica &replica, std::size_t rows,
                            std::size_t lines, const float *a, RowSteps aSteps,
                            float *c, RowSteps cSteps, bool accumulate,
                            const float *bias) const {
  const GemmTerm term{0, 0, depth_};
  for (std::size_t p = 0; p < numPanels(); ++p) {
    const std::size_t column = p * kColumns;
    const GemmShape shape{rows * lines,   std::min(kColumns, width_ - column),
                          rows,           aSteps.lineStep,
                          aSteps.step,    1,
                          kColumns,       cSteps.step,
                          cSteps.lineStep};
    gemm(shape, 0, shape.m, a, panel(replica, p), &term, 1, c + column,
         {1, accumulate, bias ? bias + column : nullptr, false});
  }
}

} // namespace ipumodel
