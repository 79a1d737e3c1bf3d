// Pooling and its gradients: one task per image, channels in vectors.
#include "popnn/pool_kernel.hpp"

#include "poplar/float_array.hpp"
#include "poplar/type_info.hpp"
#include "poplin/conv_geometry.hpp"
#include "popnn/channel_ops.hpp"
#include "popnn/pool_geometry.hpp"

#include <poplar/Type.hpp>

#include <algorithm>
#include <limits>

namespace ipumodel {

using popnn::PoolingType;

namespace {

// A channels-last operand as floats.
class Field {
public:
  Field(const TensorData &tensor, Access access, PlanBuilder &builder,
        ScratchFrame &frame)
      : operand_(channelsLast(tensor.view), sizeOf(tensor.type), access,
                 builder, frame),
        wide_(tensor.type, tensor.view.numElements(), frame) {}
  const float *load(const Replica &replica, ThreadPool &pool) const {
    operand_.load(replica, pool);
    return wide_.widen(operand_.at(replica), replica, pool);
  }
  float *target(const Replica &replica) const {
    return wide_.target(operand_.at(replica), replica);
  }
  void store(const Replica &replica, ThreadPool &pool) const {
    wide_.narrow(operand_.at(replica), replica, pool);
    operand_.store(replica, pool);
  }

private:
  NativeOperand operand_;
  FloatArray wide_;
};

std::uint64_t poolCycles(const PlanBuilder &builder, const PoolGeometry &g) {
  const std::size_t work = g.batch * g.channels * g.outputElements() *
                           g.kernel[0] * g.kernel[1] * g.kernel[2];
  return work / (2 * std::max(1u, builder.graph().target.getNumTiles())) + 1;
}

class PoolInstruction : public Instruction {
public:
  PoolInstruction(const NativeOp &op, const std::string &name,
                  PlanBuilder &builder, PoolGeometry geometry,
                  ScratchFrame frame)
      : geometry_(geometry),
        step_(builder.addStep(
            {kPoolKernel, name, poolCycles(builder, geometry_)})),
        in_(*op.inputs[0], Access::read, builder, frame),
        out_(*op.outputs[0], Access::write, builder, frame),
        // The identity of a maximum; HALF has its own lowest value.
        lowest_(op.inputs[0]->type == poplar::HALF
                    ? -65504.0f
                    : -std::numeric_limits<float>::infinity()) {}

  void run(Machine &machine) const override {
    machine.count(step_);
    for (const Replica &replica : machine.replicas) {
      const float *in = in_.load(replica, machine.pool);
      float *out = out_.target(replica);
      machine.pool.run(geometry_.batch, [&](std::size_t n) {
        poolImage(in + n * geometry_.inputElements() * geometry_.channels,
                  out + n * geometry_.outputElements() * geometry_.channels);
      });
      out_.store(replica, machine.pool);
    }
  }

private:
  void poolImage(const float *in, float *out) const {
    const PoolGeometry &g = geometry_;
    const std::size_t channels = g.channels;
    using Range = PoolGeometry::Range;
    g.forEachWindow([&](std::size_t at, Range d, Range h, Range w) {
      float *to = out + at * channels;
      const std::size_t elements =
          (d.end - d.begin) * (h.end - h.begin) * (w.end - w.begin);
      const bool isMax = g.type == PoolingType::MAX && elements > 0;
      std::fill(to, to + channels, isMax ? lowest_ : 0.0f);
      const float factor = g.type == PoolingType::AVG && elements > 0
                               ? 1.0f / static_cast<float>(elements)
                               : 1.0f;
      g.forEachElement(d, h, w, [&](std::size_t element) {
        const float *from = in + element * channels;
        if (isMax)
          maxChannels(to, from, channels);
        else
          addChannels(to, from, factor, channels);
      });
    });
  }

  PoolGeometry geometry_;
  StepId step_;
  Field in_;
  Field out_;
  float lowest_;
};

class PoolGradientInstruction : public Instruction {
public:
  PoolGradientInstruction(const NativeOp &op, const std::string &name,
                          PlanBuilder &builder, PoolGeometry geometry,
                          bool shareTies, ScratchFrame frame)
      : geometry_(geometry),
        step_(builder.addStep(
            {kPoolGradientKernel, name, poolCycles(builder, geometry_)})),
        result_(*op.outputs[0], Access::write, builder, frame),
        gradient_(*op.inputs[0], Access::read, builder, frame),
        shareTies_(shareTies) {
    if (op.inputs.size() > 1) {
      in_.emplace(*op.inputs[1], Access::read, builder, frame);
      pooled_.emplace(*op.inputs[2], Access::read, builder, frame);
    }
    if (shareTies_)
      shares_ =
          frame.take(2 * geometry_.batch * geometry_.channels * sizeof(float),
                     Buffer::kAlignment);
  }

  void run(Machine &machine) const override {
    machine.count(step_);
    const PoolGeometry &g = geometry_;
    const std::size_t inSize = g.inputElements() * g.channels;
    const std::size_t outSize = g.outputElements() * g.channels;
    for (const Replica &replica : machine.replicas) {
      const float *gradient = gradient_.load(replica, machine.pool);
      const float *in = in_ ? in_->load(replica, machine.pool) : nullptr;
      const float *pooled =
          pooled_ ? pooled_->load(replica, machine.pool) : nullptr;
      float *result = result_.target(replica);
      machine.pool.run(g.batch, [&](std::size_t n) {
        float *to = result + n * inSize;
        std::fill(to, to + inSize, 0.0f);
        if (g.type == PoolingType::MAX)
          spreadToMaxima(to, in + n * inSize, pooled + n * outSize,
                         gradient + n * outSize, sharesOf(replica, n));
        else
          spreadEvenly(to, gradient + n * outSize);
      });
      result_.store(replica, machine.pool);
    }
  }

private:
  float *sharesOf(const Replica &replica, std::size_t image) const {
    return reinterpret_cast<float *>(replica.scratch.data() + shares_) +
           2 * image * geometry_.channels;
  }

  // `shares` has room for two rows of channels.
  void spreadToMaxima(float *to, const float *in, const float *pooled,
                      const float *gradient, float *shares) const {
    const PoolGeometry &g = geometry_;
    const std::size_t channels = g.channels;
    using Range = PoolGeometry::Range;
    g.forEachWindow([&](std::size_t at, Range d, Range h, Range w) {
      const float *maximum = pooled + at * channels;
      const float *share = gradient + at * channels;
      if (shareTies_) {
        float *ties = shares + channels;
        std::fill(ties, ties + channels, 0.0f);
        g.forEachElement(d, h, w, [&](std::size_t element) {
          countEqual(ties, in + element * channels, maximum, channels);
        });
        std::copy(share, share + channels, shares);
        divideChannels(shares, ties, channels);
        share = shares;
      }
      g.forEachElement(d, h, w, [&](std::size_t element) {
        addWhereEqual(to + element * channels, in + element * channels, maximum,
                      share, channels);
      });
    });
  }

  void spreadEvenly(float *to, const float *gradient) const {
    const PoolGeometry &g = geometry_;
    using Range = PoolGeometry::Range;
    g.forEachWindow([&](std::size_t at, Range d, Range h, Range w) {
      const std::size_t elements =
          (d.end - d.begin) * (h.end - h.begin) * (w.end - w.begin);
      const float factor = g.type == PoolingType::AVG && elements > 0
                               ? 1.0f / static_cast<float>(elements)
                               : 1.0f;
      g.forEachElement(d, h, w, [&](std::size_t element) {
        addChannels(to + element * g.channels, gradient + at * g.channels,
                    factor, g.channels);
      });
    });
  }

  PoolGeometry geometry_;
  StepId step_;
  Field result_;
  Field gradient_;
  std::optional<Field> in_;
  std::optional<Field> pooled_;
  bool shareTies_;
  std::size_t shares_ = 0;
};

InstructionPtr makePool(const NativeOp &op, const std::string &name,
                        PlanBuilder &builder) {
  ParameterReader reader(op.parameters);
  return std::make_shared<PoolInstruction>(op, name, builder,
                                           PoolGeometry(getPoolParams(reader)),
                                           ScratchFrame(builder.memory()));
}

InstructionPtr makePoolGradient(const NativeOp &op, const std::string &name,
                                PlanBuilder &builder) {
  ParameterReader reader(op.parameters);
  const PoolGeometry geometry(getPoolParams(reader));
  const auto shareTies = reader.get<bool>();
  return std::make_shared<PoolGradientInstruction>(
      op, name, builder, geometry, shareTies, ScratchFrame(builder.memory()));
}

[[maybe_unused]] const bool registeredPool =
    registerKernel(kPoolKernel, makePool);
[[maybe_unused]] const bool registeredGradient =
    registerKernel(kPoolGradientKernel, makePoolGradient);

} // namespace

} // namespace ipumodel
