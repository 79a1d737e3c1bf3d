// Pooling and its gradients, image by image.
#include "popnn/pool_kernel.hpp"

#include "poplar/plan/batch_stage.hpp"
#include "poplin/conv/conv_geometry.hpp"
#include "popnn/pool_image.hpp"

#include <poplar/Type.hpp>

#include <algorithm>
#include <limits>

namespace ipumodel {

namespace {

std::uint64_t poolCycles(const PlanBuilder &builder, const PoolGeometry &g) {
  const std::size_t work = g.batch * g.channels * g.outputElements() *
                           g.kernel[0] * g.kernel[1] * g.kernel[2];
  return work / (2 * builder.sharingTiles()) + 1;
}

// The identity of the maximum: the lowest value, which is different for HALF.
float lowestOf(poplar::Type type) {
  return type == poplar::HALF ? -65504.0f
                              : -std::numeric_limits<float>::infinity();
}

// Where the maxima of each image are, if an operation saves or reuses that. A
// word before the bits says whether they were made.
class TiesWorkspace {
public:
  TiesWorkspace(const NativeOp &op, const PlanBuilder &builder,
                const PoolImage &image)
      : offset_(builder.workspaceOf(op)), perImage_(bytesPerImage(image)) {}

  static std::size_t bytesPerImage(const PoolImage &image) {
    const std::size_t words =
        (image.tieBytes() + sizeof(Made) - 1) / sizeof(Made);
    return (1 + words) * sizeof(Made);
  }

  // To be made; null if nobody needs it.
  TieBits *make(const Replica &replica, std::size_t image) const {
    Made *const made = at(replica, image);
    if (!made)
      return nullptr;
    *made = 1;
    return reinterpret_cast<TieBits *>(made + 1);
  }
  // Null if there is none, or the pooling never ran.
  const TieBits *find(const Replica &replica, std::size_t image) const {
    const Made *const made = at(replica, image);
    return made && *made ? reinterpret_cast<const TieBits *>(made + 1)
                         : nullptr;
  }

private:
  using Made = std::uint64_t;

  Made *at(const Replica &replica, std::size_t image) const {
    return offset_ ? reinterpret_cast<Made *>(replica.memory.data() + *offset_ +
                                              image * perImage_)
                   : nullptr;
  }

  std::optional<std::size_t> offset_;
  std::size_t perImage_;
};

class PoolStage : public BatchStage {
public:
  PoolStage(const NativeOp &op, const PlanBuilder &builder,
            const PoolGeometry &geometry)
      : image_(geometry, lowestOf(op.outputs[0]->type)),
        ties_(op, builder, image_),
        isMaximum_(geometry.type == popnn::PoolingType::MAX) {
    const std::size_t element = geometry.channels * sizeof(float);
    if (geometry.input[0] == 1)
      part_ =
          ItemPart{geometry.input[1], geometry.input[2] * element,
                   geometry.windowsEnd(1), geometry.windowsEnd(2) * element};
  }
  std::optional<ItemPart> partRead(std::size_t /*operand*/) const override {
    return part_;
  }
  bool absorbBefore(std::size_t /*operand*/,
                    const BatchStage &before) override {
    isOfRelu_ = isMaximum_ && before.epilogue().kind == Epilogue::Kind::relu;
    return isOfRelu_;
  }
  void run(const BatchItem &item) const override {
    image_.pool(reinterpret_cast<const float *>(item.operands[1]), isOfRelu_,
                reinterpret_cast<float *>(item.operands[0]),
                ties_.make(*item.replica, item.index));
  }

private:
  PoolImage image_;
  TiesWorkspace ties_;
  bool isMaximum_;
  bool isOfRelu_ = false;        // of the input after a ReLU
  std::optional<ItemPart> part_; // of the input
};

class PoolGradientStage : public BatchStage {
public:
  PoolGradientStage(const NativeOp &op, const PlanBuilder &builder,
                    const PoolGeometry &geometry, bool shareTies)
      : image_(geometry, lowestOf(op.outputs[0]->type)),
        ties_(op, builder, image_), mode_{shareTies, false, false},
        hasFields_(op.inputs.size() > 1),
        isMaximum_(geometry.type == popnn::PoolingType::MAX) {}
  // What is pooled is above zero wherever its maximum is and they are equal.
  bool absorbGate(std::size_t by) override {
    mode_.positiveOnly = isMaximum_ && by == kPooled;
    return mode_.positiveOnly;
  }
  bool absorbGateAfterVertices(std::size_t by) override {
    closesAfterVertices_ = isMaximum_ && by == kPooled;
    return closesAfterVertices_;
  }
  void run(const BatchItem &item) const override {
    const auto at = [&](std::size_t i) {
      return reinterpret_cast<float *>(item.operands[i]);
    };
    image_.spreadGradient(at(1), hasFields_ ? at(kPooled) : nullptr,
                          hasFields_ ? at(kResult) : nullptr,
                          ties_.find(*item.replica, item.index), mode_, at(0));
    if (!closesAfterVertices_)
      return;
    item.readers->advance(image_.inputSize() * sizeof(float));
    image_.clearUnlessPositive(at(kResult), at(0));
  }

private:
  static constexpr std::size_t kPooled = 2, kResult = 3; // operands

  PoolImage image_;
  TiesWorkspace ties_;
  SpreadMode mode_;
  bool hasFields_; // what was pooled, and the result
  bool isMaximum_;
  bool closesAfterVertices_ = false; // a gate, which what was pooled opens
};

bool addFields(const NativeOp &op, StageOperands &operands) {
  const auto add = [&](const TensorData &tensor, Access access) {
    return operands.addFloats(channelsLast(tensor.view), tensor.type, access);
  };
  bool all = add(*op.outputs[0], Access::write);
  for (const TensorPtr &input : op.inputs) {
    all = all && add(*input, Access::read);
    // A gradient with a workspace knows what the maxima are.
    if (op.inputs.size() > 1 && input == op.inputs[1] &&
        operands.builder.workspaceOf(op))
      operands.markUnread();
  }
  return all;
}

} // namespace

StagePtr Pool::stage(const NativeOp &op, const std::string & /*name*/,
                     StageOperands &operands) const {
  const PoolGeometry geometry(params);
  if (!addFields(op, operands))
    return nullptr;
  operands.step.cycles = poolCycles(operands.builder, geometry);
  return std::make_shared<PoolStage>(op, operands.builder, geometry);
}

StagePtr PoolGradient::stage(const NativeOp &op, const std::string & /*name*/,
                             StageOperands &operands) const {
  const PoolGeometry geometry(params);
  if (!addFields(op, operands))
    return nullptr;
  operands.step.cycles = poolCycles(operands.builder, geometry);
  return std::make_shared<PoolGradientStage>(op, operands.builder, geometry,
                                             shareTies);
}

std::size_t PoolGradient::workspaceFrom(const NativeOp &maker,
                                        const NativeOp &own) const {
  const Pool *pool = operatorAs<Pool>(maker);
  if (!pool || own.inputs.size() != 3 ||
      !(maker.inputs[0]->view == own.inputs[1]->view) ||
      !(maker.outputs[0]->view == own.inputs[2]->view) ||
      !(OperatorModel<Pool>(Pool{params}) == *maker.what))
    return 0;
  const PoolGeometry geometry(params);
  if (geometry.type != popnn::PoolingType::MAX)
    return 0;
  // Of windows that overlap much, the input is smaller.
  const std::size_t bytes =
      geometry.batch * TiesWorkspace::bytesPerImage(PoolImage(geometry, 0));
  const std::size_t input = maker.inputs[0]->view.numElements() * sizeof(float);
  return bytes <= input ? bytes : 0;
}

} // namespace ipumodel
