// Pooling and its gradients, one task per image.
#include "popnn/pool_kernel.hpp"

#include "poplar/operators/float_operand.hpp"
#include "poplar/plan/batch_stage.hpp"
#include "poplin/conv_geometry.hpp"
#include "popnn/pool_image.hpp"

#include <poplar/Type.hpp>

#include <algorithm>
#include <limits>

namespace ipumodel {

namespace {

FloatOperand fieldOf(const TensorData &tensor, Access access,
                     PlanBuilder &builder, ScratchFrame &frame) {
  return {channelsLast(tensor.view), tensor.type, access, builder, frame};
}

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

class PoolInstruction : public Instruction {
public:
  PoolInstruction(const NativeOp &op, const std::string &name,
                  PlanBuilder &builder, const PoolGeometry &geometry,
                  ScratchFrame frame)
      : image_(geometry, lowestOf(op.inputs[0]->type)), batch_(geometry.batch),
        step_(builder.addStep(
            {Pool::kName, name, poolCycles(builder, geometry)})),
        in_(fieldOf(*op.inputs[0], Access::read, builder, frame)),
        out_(fieldOf(*op.outputs[0], Access::write, builder, frame)),
        places_(op, builder, image_) {}

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      const float *in = in_.load(replica, state.pool);
      float *out = out_.target(replica);
      state.pool.run(batch_, [&](std::size_t n) {
        image_.pool(in + n * image_.inputSize(), out + n * image_.outputSize(),
                    places_.at(replica, n));
      });
      out_.store(replica, state.pool);
    }
  }

private:
  PoolImage image_;
  std::size_t batch_;
  StepId step_;
  FloatOperand in_;
  FloatOperand out_;
  PlacesWorkspace places_;
};

class PoolGradientInstruction : public Instruction {
public:
  PoolGradientInstruction(const NativeOp &op, const std::string &name,
                          PlanBuilder &builder, const PoolGeometry &geometry,
                          bool shareTies, ScratchFrame frame)
      : image_(geometry, lowestOf(op.outputs[0]->type)), batch_(geometry.batch),
        step_(builder.addStep(
            {PoolGradient::kName, name, poolCycles(builder, geometry)})),
        result_(fieldOf(*op.outputs[0], Access::write, builder, frame)),
        gradient_(fieldOf(*op.inputs[0], Access::read, builder, frame)),
        places_(op, builder, image_), shareTies_(shareTies) {
    if (op.inputs.size() > 1) {
      in_ = fieldOf(*op.inputs[1], Access::read, builder, frame);
      pooled_ = fieldOf(*op.inputs[2], Access::read, builder, frame);
    }
  }

  void run(ExecutionState &state) const override {
    state.count(step_);
    const std::size_t inSize = image_.inputSize();
    const std::size_t outSize = image_.outputSize();
    for (const Replica &replica : state.replicas) {
      const float *gradient = gradient_.load(replica, state.pool);
      const float *in = in_ ? in_->load(replica, state.pool) : nullptr;
      const float *pooled =
          pooled_ ? pooled_->load(replica, state.pool) : nullptr;
      float *result = result_.target(replica);
      state.pool.run(batch_, [&](std::size_t n) {
        image_.spreadGradient(
            gradient + n * outSize, in ? in + n * inSize : nullptr,
            pooled ? pooled + n * outSize : nullptr, places_.at(replica, n),
            shareTies_, result + n * inSize);
      });
      result_.store(replica, state.pool);
    }
  }

private:
  PoolImage image_;
  std::size_t batch_;
  StepId step_;
  FloatOperand result_;
  FloatOperand gradient_;
  std::optional<FloatOperand> in_;
  std::optional<FloatOperand> pooled_;
  PlacesWorkspace places_;
  bool shareTies_;
};

class PoolStage : public BatchStage {
public:
  PoolStage(const NativeOp &op, const PlanBuilder &builder,
            const PoolGeometry &geometry)
      : image_(geometry, lowestOf(poplar::FLOAT)),
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
      : image_(geometry, lowestOf(poplar::FLOAT)), places_(op, builder, image_),
        shareTies_(shareTies),
        isMax_(geometry.type == popnn::PoolingType::MAX) {}
  void run(const BatchItem &item) const override {
    const auto at = [&](std::size_t i) {
      return reinterpret_cast<float *>(item.operands[i]);
    };
    image_.spreadGradient(
        at(1), isMax_ ? at(2) : nullptr, isMax_ ? at(3) : nullptr,
        places_.at(*item.replica, item.index), shareTies_, at(0));
  }

private:
  PoolImage image_;
  PlacesWorkspace places_;
  bool shareTies_;
  bool isMax_;
};

bool addFields(const NativeOp &op, StageOperands &operands) {
  const auto add = [&](const TensorData &tensor, Access access) {
    return tensor.type == poplar::FLOAT &&
           operands.addItems(channelsLast(tensor.view), sizeof(float), access);
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

InstructionPtr Pool::lower(const NativeOp &op, const std::string &name,
                           PlanBuilder &builder) const {
  return std::make_shared<PoolInstruction>(
      op, name, builder, PoolGeometry(params), ScratchFrame(builder.memory()));
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

InstructionPtr PoolGradient::lower(const NativeOp &op, const std::string &name,
                                   PlanBuilder &builder) const {
  return std::make_shared<PoolGradientInstruction>(
      op, name, builder, PoolGeometry(params), shareTies,
      ScratchFrame(builder.memory()));
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
