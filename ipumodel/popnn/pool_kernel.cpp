// Pooling and its gradients, image by image.
#include "popnn/pool_kernel.hpp"

#include "poplar/plan/batch_stage.hpp"
#include "poplin/conv_geometry.hpp"
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

// The positions of an operation's maxima, if it saves or reuses them.
class PlacesWorkspace {
public:
  PlacesWorkspace(const NativeOp &op, const PlanBuilder &builder,
                  const PoolImage &image)
      : offset_(builder.workspaceOf(op)), perImage_(image.outputSize()) {}

  // The positions for an image; null if there are none.
  Place *at(const Replica &replica, std::size_t image) const {
    return offset_
               ? reinterpret_cast<Place *>(replica.memory.data() + *offset_) +
                     image * perImage_
               : nullptr;
  }

private:
  std::optional<std::size_t> offset_;
  std::size_t perImage_;
};

// Smaller windows are searched just as fast.
constexpr std::size_t kFewestElements = 16;

class PoolStage : public BatchStage {
public:
  PoolStage(const NativeOp &op, const PlanBuilder &builder,
            const PoolGeometry &geometry)
      : image_(geometry, lowestOf(op.outputs[0]->type)),
        places_(op, builder, image_) {}
  void run(const BatchItem &item) const override {
    image_.pool(reinterpret_cast<const float *>(item.operands[1]),
                reinterpret_cast<float *>(item.operands[0]),
                places_.at(*item.replica, item.index));
  }

private:
  PoolImage image_;
  PlacesWorkspace places_;
};

class PoolGradientStage : public BatchStage {
public:
  PoolGradientStage(const NativeOp &op, const PlanBuilder &builder,
                    const PoolGeometry &geometry, bool shareTies)
      : image_(geometry, lowestOf(op.outputs[0]->type)),
        places_(op, builder, image_), mode_{shareTies, false, false},
        hasFields_(op.inputs.size() > 1),
        isMaximum_(geometry.type == popnn::PoolingType::MAX) {}
  // What is pooled is above zero wherever its maximum is and they are equal.
  bool absorbGate(std::size_t by) override {
    mode_.positiveOnly = isMaximum_ && by == kPooled;
    return mode_.positiveOnly;
  }
  void run(const BatchItem &item) const override {
    const auto at = [&](std::size_t i) {
      return reinterpret_cast<float *>(item.operands[i]);
    };
    image_.spreadGradient(at(1), hasFields_ ? at(kPooled) : nullptr,
                          hasFields_ ? at(3) : nullptr,
                          places_.at(*item.replica, item.index), mode_, at(0));
  }

private:
  static constexpr std::size_t kPooled = 2; // the operand

  PoolImage image_;
  PlacesWorkspace places_;
  SpreadMode mode_;
  bool hasFields_; // what was pooled, and the result
  bool isMaximum_;
};

bool addFields(const NativeOp &op, StageOperands &operands) {
  const auto add = [&](const TensorData &tensor, Access access) {
    return operands.addFloats(channelsLast(tensor.view), tensor.type, access);
  };
  bool all = add(*op.outputs[0], Access::write);
  for (const TensorPtr &input : op.inputs)
    all = all && add(*input, Access::read);
  return all;
}

} // namespace

StagePtr Pool::stage(const NativeOp &op, const std::string &name,
                     StageOperands &operands) const {
  const PoolGeometry geometry(params);
  if (!addFields(op, operands))
    return nullptr;
  operands.step = {kName, name, poolCycles(operands.builder, geometry)};
  return std::make_shared<PoolStage>(op, operands.builder, geometry);
}

StagePtr PoolGradient::stage(const NativeOp &op, const std::string &name,
                             StageOperands &operands) const {
  const PoolGeometry geometry(params);
  if (!addFields(op, operands))
    return nullptr;
  operands.step = {kName, name, poolCycles(operands.builder, geometry)};
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
  const PoolGeometry g(params);
  const bool pays = g.type == popnn::PoolingType::MAX &&
                    g.kernel[0] * g.kernel[1] * g.kernel[2] >= kFewestElements;
  return pays ? maker.outputs[0]->view.numElements() * sizeof(Place) : 0;
}

} // namespace ipumodel
