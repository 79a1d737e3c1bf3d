#include "poplin/matmul/strided_matrix.hpp"

#include "poplar/values/type_info.hpp"
#include "poplar/view/layout.hpp"

#include <poplar/Type.hpp>

#include <algorithm>

namespace ipumodel {

std::optional<Strided> stridesOf(const View &view, const MemoryPlan &memory) {
  const std::optional<Layout> layout = layoutOf(view);
  if (!layout || std::any_of(layout->strides.begin(), layout->strides.end(),
                             [](std::ptrdiff_t stride) { return stride < 0; }))
    return std::nullopt;
  const auto stride = [&](std::size_t dim) {
    return static_cast<std::size_t>(layout->strides[dim]);
  };
  return Strided{memory.offsetOf(layout->variable) +
                     static_cast<std::size_t>(layout->offset) * sizeof(float),
                 stride(0), stride(1), stride(2)};
}

Matrix::Matrix(const TensorData &tensor, bool needsUnitColumns,
               PlanBuilder &builder, ScratchFrame &frame)
    : array_(tensor.type, tensor.view.numElements(), frame) {
  const Shape &shape = tensor.view.shape();
  if (tensor.type == poplar::FLOAT)
    inPlace_ = stridesOf(tensor.view, builder.memory());
  if (inPlace_ && needsUnitColumns && shape[2] > 1 && inPlace_->column != 1)
    inPlace_.reset();
  if (inPlace_) {
    group = inPlace_->group;
    row = inPlace_->row;
    column = inPlace_->column;
    return;
  }
  operand_.emplace(tensor.view, sizeOf(tensor.type), Access::read, builder,
                   frame);
  group = shape[1] * shape[2];
  row = shape[2];
  column = 1;
}

const float *Matrix::load(const Replica &replica, ThreadPool &pool) const {
  if (!operand_)
    return inPlace(replica);
  operand_->load(replica, pool);
  return array_.widen(operand_->at(replica), replica, pool);
}

} // namespace ipumodel
