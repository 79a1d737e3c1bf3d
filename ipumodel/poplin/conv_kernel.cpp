// Convolutions of any kind: operands are staged if their layout is not the one
// the products need.
#include "poplin/conv_kernel.hpp"

#include "poplar/operators/float_operand.hpp"
#include "poplin/conv_product.hpp"

#include <algorithm>
#include <cstring>

namespace ipumodel {

namespace {

class ConvolutionInstruction : public Instruction {
public:
  ConvolutionInstruction(const NativeOp &op, const std::string &name,
                         PlanBuilder &builder, const poplin::ConvParams &params,
                         View weights, ScratchFrame frame)
      : product_(params), geometry_(product_.geometry()),
        step_(builder.addStep({Convolution::kName, name,
                               convCycles(builder.graph().target, geometry_)})),
        input_(op.inputs[0]->view, params, geometry_, sizeOf(params.inputType),
               builder, frame),
        wideInput_(params.inputType, geometry_.batch * geometry_.imageSize(),
                   frame),
        weights_(kernelFirst(weights), params.inputType, Access::read, builder,
                 frame),
        output_(channelsLast(op.outputs[0]->view), params.outputType,
                Access::write, builder, frame) {}

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas)
      runReplica(replica, state.pool);
  }

private:
  void runReplica(const Replica &replica, ThreadPool &pool) const {
    const ConvGeometry &g = geometry_;
    const float *in =
        wideInput_.widen(input_.load(replica, pool), replica, pool);
    const float *weights = weights_.load(replica, pool);
    float *out = output_.target(replica);
    if (g.output != g.paddedOut)
      std::memset(out, 0, g.batch * g.outputImageSize() * sizeof(float));
    const std::size_t perImage = product_.tasksPerImage();
    pool.run(g.batch * perImage, [&](std::size_t task) {
      const std::size_t n = task / perImage;
      product_.run(in + n * g.imageSize(), weights,
                   out + n * g.outputImageSize(), task % perImage);
    });
    output_.store(replica, pool);
  }

  ConvProduct product_;
  const ConvGeometry &geometry_;
  StepId step_;
  TransformedInput input_;
  FloatArray wideInput_;
  FloatOperand weights_;
  FloatOperand output_;
};

} // namespace

InstructionPtr Convolution::lower(const NativeOp &op, const std::string &name,
                                  PlanBuilder &builder) const {
  return std::make_shared<ConvolutionInstruction>(
      op, name, builder, params,
      usedWeights(op.inputs[1]->view, params, transposeAndFlip),
      ScratchFrame(builder.memory()));
}

std::uint64_t convCycles(const poplar::Target &target,
                         const ConvGeometry &geometry) {
  // Four multiply-adds of FLOAT per tile and cycle.
  return geometry.flops() / (8 * std::max(1u, target.getTilesPerIPU())) + 1;
}

} // namespace ipumodel
