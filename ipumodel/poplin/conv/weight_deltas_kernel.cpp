// The gradient of a convolution's weights: each kernel element's products with
// the output's gradient, summed over images and output elements.
#include "poplar/operators/scale_factor.hpp"
#include "poplar/plan/float_operand.hpp"
#include "poplin/conv/conv_geometry.hpp"
#include "poplin/conv/conv_kernel.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

// Rows of the gradient per task, and the bytes of the output's gradient a task
// reads before it goes on to its next rows, so that they stay in cache.
constexpr std::size_t kDeltaRows = 24;
constexpr std::size_t kBlockBytes = 128 * 1024;
// A gradient with few rows is divided into this many partial sums instead.
constexpr std::size_t kEnoughTasks = 8;

class WeightDeltasInstruction : public Instruction {
public:
  WeightDeltasInstruction(const NativeOp &op, const std::string &name,
                          PlanBuilder &builder,
                          const poplin::ConvParams &params, float scale,
                          bool hasScaleTensor, bool accumulate, View weights,
                          ScratchFrame frame)
      : geometry_(params),
        step_(builder.addStep({WeightDeltas::kName, name,
                               convCycles(builder.graph().target, geometry_)})),
        activations_(op.inputs[1]->view, params, geometry_,
                     sizeOf(params.inputType), builder, frame),
        wideActivations_(params.inputType,
                         geometry_.batch * geometry_.imageSize(), frame),
        deltas_(channelsLast(op.inputs[0]->view), op.inputs[0]->type,
                Access::read, builder, frame),
        weights_(kernelFirst(weights), op.outputs[0]->type,
                 accumulate ? Access::readWrite : Access::write, builder,
                 frame),
        scale_(scale), accumulate_(accumulate) {
    const ConvGeometry &g = geometry_;
    if (hasScaleTensor)
      scale_ = ScaleFactor(scale, *op.inputs[2], builder);
    // Adjacent kernel rows are lines of one product if they are equally spaced,
    // which they are unless flipped.
    bool lines = g.rowsAreContiguous();
    for (std::size_t h = 1; h < g.kernel[1]; ++h)
      lines = lines && g.place[1][h] > g.place[1][h - 1];
    runsPerProduct_ = lines ? g.kernel[1] : 1;
    shape_.m = runsPerProduct_ * g.runLength();
    shape_.n = g.outChannels;
    shape_.lineLength = g.runLength();
    shape_.lineStep = runsPerProduct_ > 1 ? (g.place[1][1] - g.place[1][0]) *
                                                g.input[2] * g.totalIn()
                                          : 0;
    shape_.rowStep = 1;
    shape_.aColumn = g.stride[2] * g.totalIn();
    shape_.bRow = g.totalOut();
    shape_.cRow = g.outChannels;
    shape_.cLine = shape_.lineLength * shape_.cRow;
    for (std::size_t n = 0; n < g.batch; ++n)
      for (std::size_t d = 0; d < g.output[0]; ++d)
        for (std::size_t h = 0; h < g.output[1]; ++h)
          terms_.push_back({n * g.imageSize() + g.windowOffset(d, h),
                            n * g.outputImageSize() + g.outputOffset(d, h),
                            g.output[2]});
    const std::size_t lineBytes =
        std::max<std::size_t>(1, g.output[2] * g.totalOut() * sizeof(float));
    blockTerms_ = std::max<std::size_t>(1, kBlockBytes / lineBytes);
    chunks_ = (shape_.m + kDeltaRows - 1) / kDeltaRows;
    products_ = g.groups * (g.kernelRuns() / runsPerProduct_);
    parts_ =
        products_ * chunks_ >= kEnoughTasks
            ? 1
            : std::min<std::size_t>(
                  kEnoughTasks, std::max<std::size_t>(1, terms_.size() / 16));
    if (parts_ > 1)
      partial_ = frame.take(parts_ * weights.numElements() * sizeof(float),
                            Buffer::kAlignment);
    count_ = weights.numElements();
  }

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas)
      runReplica(replica, state.pool);
  }

private:
  void runReplica(const Replica &replica, ThreadPool &pool) const {
    const float *activations =
        wideActivations_.widen(activations_.load(replica, pool), replica, pool);
    const float *deltas = deltas_.load(replica, pool);
    float *weights = accumulate_ ? weights_.loadTarget(replica, pool)
                                 : weights_.target(replica);
    const float scale = scale_.in(replica);
    if (parts_ == 1) {
      pool.run(products_ * chunks_, [&](std::size_t task) {
        sum(activations, deltas, weights, task, 0, terms_.size(), scale,
            accumulate_);
      });
    } else {
      sumInParts(replica, pool, activations, deltas, weights, scale);
    }
    weights_.store(replica, pool);
  }

  void sumInParts(const Replica &replica, ThreadPool &pool,
                  const float *activations, const float *deltas, float *weights,
                  float scale) const {
    float *partial =
        reinterpret_cast<float *>(replica.scratch.data() + partial_);
    const std::size_t tasks = products_ * chunks_;
    pool.run(parts_ * tasks, [&](std::size_t i) {
      const std::size_t part = i / tasks;
      sum(activations, deltas, partial + part * count_, i % tasks,
          terms_.size() * part / parts_, terms_.size() * (part + 1) / parts_,
          1.0f, false);
    });
    for (std::size_t i = 0; i < count_; ++i) {
      float total = partial[i];
      for (std::size_t part = 1; part < parts_; ++part)
        total += partial[part * count_ + i];
      weights[i] = scale * total + (accumulate_ ? weights[i] : 0.0f);
    }
  }

  // Computes rows of one product over terms [first, last).
  void sum(const float *activations, const float *deltas, float *weights,
           std::size_t task, std::size_t first, std::size_t last, float scale,
           bool accumulate) const {
    const ConvGeometry &g = geometry_;
    const std::size_t chunk = task % chunks_;
    const std::size_t product = task / chunks_;
    const std::size_t perGroup = products_ / g.groups;
    const std::size_t group = product / perGroup;
    const std::size_t run = product % perGroup * runsPerProduct_;
    const float *a = activations + g.runOffset(run) + group * g.inChannels;
    const float *b = deltas + group * g.outChannels;
    float *c = weights +
               (group * g.kernelRuns() + run) * g.runLength() * g.outChannels;
    const std::size_t end = std::min(shape_.m, (chunk + 1) * kDeltaRows);
    GemmEpilogue epilogue;
    epilogue.alpha = scale;
    epilogue.accumulate = accumulate;
    for (std::size_t at = first; at < last; at += blockTerms_) {
      gemm(shape_, chunk * kDeltaRows, end, a, b, terms_.data() + at,
           std::min(blockTerms_, last - at), c, epilogue);
      epilogue.accumulate = true;
    }
    if (first == last) // an empty sum
      gemm(shape_, chunk * kDeltaRows, end, a, b, nullptr, 0, c, epilogue);
  }

  ConvGeometry geometry_;
  StepId step_;
  TransformedInput activations_;
  FloatArray wideActivations_;
  FloatOperand deltas_;
  FloatOperand weights_;
  ScaleFactor scale_;
  bool accumulate_;
  std::vector<GemmTerm> terms_;
  GemmShape shape_;
  std::size_t runsPerProduct_, products_, chunks_, blockTerms_, parts_, count_;
  std::size_t partial_ = 0;
};

} // namespace

InstructionPtr WeightDeltas::lower(const NativeOp &op, const std::string &name,
                                   PlanBuilder &builder) const {
  View weights = op.outputs[0]->view;
  for (unsigned dim = 0; dim < params.getNumFieldDims(); ++dim)
    weights = weights.slice(
        3 + dim, params.kernelTransform.truncationLower[dim],
        params.kernelShape[dim] - params.kernelTransform.truncationUpper[dim]);
  return std::make_shared<WeightDeltasInstruction>(
      op, name, builder, params, scale, hasScaleTensor, accumulate,
      std::move(weights), ScratchFrame(builder.memory()));
}

} // namespace ipumodel
