// A slice that is a whole batch, copied item by item between the operations
// that make or use it.
#include "poplar/plan/batch_stage.hpp"
#include "poplar/values/type_info.hpp"
#include "popops/slices/slice_kernel.hpp"

#include <cstring>

namespace ipumodel {

namespace {

// Copying a smaller batch is faster than waking threads.
constexpr std::size_t kMinBytes = 32 * 1024;

// Slices of one index in the first dimension.
class SliceStage : public BatchStage {
public:
  struct Base {
    std::size_t offset; // in memory
    std::size_t slices;
    std::size_t sliceBytes;
  };
  SliceStage(SliceCopy direction, OutOfRange outOfRange, const Base &base,
             std::size_t indexOffset, std::size_t itemBytes)
      : direction_(direction), outOfRange_(outOfRange), base_(base),
        indexOffset_(indexOffset), itemBytes_(itemBytes) {}

  bool isCopy() const override { return true; }
  char *otherPlace(const Replica &replica, std::size_t item) const override {
    char *const memory = replica.memory.data();
    std::uint32_t index = 0;
    std::memcpy(&index, memory + indexOffset_, sizeof index);
    if (index >= base_.slices && outOfRange_ != OutOfRange::startAtZero)
      return nullptr;
    const std::size_t slice = index < base_.slices ? index : 0;
    return memory + base_.offset + slice * base_.sliceBytes + item * itemBytes_;
  }

  void run(const BatchItem &item) const override {
    char *const own = item.operands[0];
    char *const inBase = otherPlace(*item.replica, item.index);
    if (!inBase) {
      if (outOfRange_ == OutOfRange::zero && direction_ == SliceCopy::fromBase)
        std::memset(own, 0, itemBytes_);
      return;
    }
    if (direction_ == SliceCopy::fromBase)
      std::memcpy(own, inBase, itemBytes_);
    else
      std::memcpy(inBase, own, itemBytes_);
  }

private:
  SliceCopy direction_;
  OutOfRange outOfRange_;
  Base base_;
  std::size_t indexOffset_;
  std::size_t itemBytes_;
};

// A destination that is written only if the offset is in range counts as read
// too.
Access sliceAccess(SliceCopy direction, OutOfRange outOfRange) {
  if (direction == SliceCopy::toBase)
    return Access::read;
  return outOfRange == OutOfRange::ignore ? Access::readWrite : Access::write;
}

} // namespace

StagePtr SliceOperator::stage(const NativeOp &op, const std::string &name,
                              StageOperands &operands) const {
  const TensorData &base = *op.inputs.at(0);
  const TensorData &index = *op.inputs.at(1);
  const TensorData &slices = *op.inputs.at(2);
  const Shape &shape = slices.view.shape(); // [n, slice...]
  const std::size_t size = sizeOf(base.type);
  const std::size_t bytes = slices.view.numElements() * size;
  if (dims != std::vector<std::size_t>{0} || shape.size() < 4 ||
      shape[0] != 1 || shape[1] != 1 || bytes < kMinBytes)
    return operands.refuse("the slice is not a batch, or a small one");
  const auto baseOffset = operands.builder.contiguousOffset(base.view, size);
  const auto indexOffset =
      operands.builder.contiguousOffset(index.view, sizeof(std::uint32_t));
  const std::size_t batch = shape[2];
  if (!baseOffset || !indexOffset ||
      !operands.addItems(
          slices.view.reshape({batch, slices.view.numElements() / batch}), size,
          sliceAccess(direction, outOfRange)))
    return nullptr;
  operands.addWhole(base.view, direction == SliceCopy::fromBase
                                   ? Access::read
                                   : Access::readWrite);
  operands.addWhole(index.view, Access::read);
  operands.step = {kName, name, bytes / 8 / operands.builder.sharingTiles() + 1,
                   bytes};
  return std::make_shared<SliceStage>(
      direction, outOfRange,
      SliceStage::Base{*baseOffset, base.view.shape()[0], bytes}, *indexOffset,
      bytes / batch);
}

} // namespace ipumodel
