// The convolution itself: one product per image and kernel row, straight from
// the channels-last input.
#include "poplin/conv_kernel.hpp"

#include "poplar/float_array.hpp"
#include "poplar/type_info.hpp"
#include "poplin/conv_geometry.hpp"

#include <algorithm>
#include <cstring>

namespace ipumodel {

namespace {

// Output elements one task computes; fixed, so that tasks do not depend on the
// number of threads.
constexpr std::size_t kTaskRows = 192;

class ConvolutionInstruction : public Instruction {
public:
  ConvolutionInstruction(const NativeOp &op, const std::string &name,
                         PlanBuilder &builder, const poplin::ConvParams &params,
                         View weights, ScratchFrame frame)
      : geometry_(params),
        step_(builder.addStep({kConvolutionKernel, name,
                               convCycles(builder.graph().target, geometry_)})),
        input_(op.inputs[0]->view, params, geometry_, sizeOf(params.inputType),
               builder, frame),
        wideInput_(params.inputType, geometry_.batch * geometry_.imageSize(),
                   frame),
        weights_(kernelFirst(weights), sizeOf(params.inputType), Access::read,
                 builder, frame),
        wideWeights_(params.inputType, weights.numElements(), frame),
        output_(channelsLast(op.outputs[0]->view), sizeOf(params.outputType),
                Access::write, builder, frame),
        wideOutput_(params.outputType,
                    geometry_.batch * geometry_.outputImageSize(), frame) {
    const ConvGeometry &g = geometry_;
    for (std::size_t run = 0; run < g.kernelRuns(); ++run)
      terms_.push_back({g.runOffset(run), run * g.runLength() * g.outChannels,
                        g.runLength()});
    padded_ = g.output != g.paddedOut;
    // Lines of the output follow each other without gaps unless padded.
    const bool lines =
        g.output[1] == g.paddedOut[1] && g.output[2] == g.paddedOut[2];
    lineGroup_ = lines ? g.output[1] : 1;
    shape_.m = lineGroup_ * g.output[2];
    shape_.n = g.outChannels;
    shape_.lineLength = std::max<std::size_t>(1, g.output[2]);
    shape_.lineStep = g.stride[1] * g.input[2] * g.totalIn();
    shape_.rowStep = g.stride[2] * g.totalIn();
    shape_.aColumn = 1;
    shape_.bRow = g.outChannels;
    shape_.cRow = g.totalOut();
  }

  void run(Machine &machine) const override {
    machine.count(step_);
    for (const Replica &replica : machine.replicas)
      runReplica(replica, machine.pool);
  }

private:
  void runReplica(const Replica &replica, ThreadPool &pool) const {
    const ConvGeometry &g = geometry_;
    const float *in =
        wideInput_.widen(input_.load(replica, pool), replica, pool);
    weights_.load(replica, pool);
    const float *weights =
        wideWeights_.widen(weights_.at(replica), replica, pool);
    char *const stored = output_.at(replica);
    float *out = wideOutput_.target(stored, replica);
    if (padded_)
      std::memset(out, 0, g.batch * g.outputImageSize() * sizeof(float));
    const std::size_t chunks = (shape_.m + kTaskRows - 1) / kTaskRows;
    const std::size_t lines =
        lineGroup_ == 0 ? 0 : g.output[0] * (g.output[1] / lineGroup_);
    const std::size_t perImage = g.groups * lines * chunks;
    pool.run(g.batch * perImage, [&](std::size_t task) {
      const std::size_t chunk = task % chunks;
      const std::size_t line = task / chunks % lines;
      const std::size_t group = task / chunks / lines % g.groups;
      const std::size_t n = task / perImage;
      const std::size_t perSlice = g.output[1] / lineGroup_;
      const std::size_t d = line / perSlice;
      const std::size_t h = line % perSlice * lineGroup_;
      gemm(shape_, chunk * kTaskRows,
           std::min(shape_.m, (chunk + 1) * kTaskRows),
           in + n * g.imageSize() + g.windowOffset(d, h) + group * g.inChannels,
           weights + group * g.kernel[0] * g.kernel[1] * g.kernel[2] *
                         g.inChannels * g.outChannels,
           terms_.data(), terms_.size(),
           out + n * g.outputImageSize() + g.outputOffset(d, h) +
               group * g.outChannels);
    });
    wideOutput_.narrow(stored, replica, pool);
    output_.store(replica, pool);
  }

  ConvGeometry geometry_;
  StepId step_;
  TransformedInput input_;
  FloatArray wideInput_;
  NativeOperand weights_;
  FloatArray wideWeights_;
  NativeOperand output_;
  FloatArray wideOutput_;
  std::vector<GemmTerm> terms_;
  GemmShape shape_;
  std::size_t lineGroup_; // output lines one product covers
  bool padded_;
};

// Truncated weights, and for a gradient flipped and with their channels
// swapped.
View usedWeights(const View &given, const poplin::ConvParams &params,
                 bool transposeAndFlip) {
  View weights = given;
  if (weights.shape().size() == params.getNumFieldDims() + 2) {
    Shape shape = weights.shape();
    shape.insert(shape.begin(), 1);
    weights = weights.reshape(shape);
  }
  if (transposeAndFlip) {
    std::vector<unsigned> order(weights.shape().size());
    for (unsigned i = 0; i < order.size(); ++i)
      order[i] = i;
    std::swap(order[1], order[2]);
    weights = weights.dimShuffle(order);
    for (std::size_t d = 3; d < order.size(); ++d)
      weights = weights.reverse(d);
  }
  for (unsigned dim = 0; dim < params.getNumFieldDims(); ++dim)
    weights = weights.slice(
        3 + dim, params.kernelTransform.truncationLower[dim],
        params.kernelShape[dim] - params.kernelTransform.truncationUpper[dim]);
  return weights;
}

InstructionPtr makeConvolution(const NativeOp &op, const std::string &name,
                               PlanBuilder &builder) {
  ParameterReader reader(op.parameters);
  const poplin::ConvParams params = getConvParams(reader);
  const bool transposeAndFlip = reader.get<bool>();
  return std::make_shared<ConvolutionInstruction>(
      op, name, builder, params,
      usedWeights(op.inputs[1]->view, params, transposeAndFlip),
      ScratchFrame(builder.memory()));
}

[[maybe_unused]] const bool registered =
    registerKernel(kConvolutionKernel, makeConvolution);

} // namespace

std::uint64_t convCycles(const poplar::Target &target,
                         const ConvGeometry &geometry) {
  // Four multiply-adds of FLOAT per tile and cycle.
  return geometry.flops() / (8 * std::max(1u, target.getNumTiles())) + 1;
}

} // namespace ipumodel
