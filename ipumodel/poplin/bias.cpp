// Biases: one value per channel, added to activations and updated from their
// gradient.
#include "poplar/operators/scale_factor.hpp"
#include "poplar/plan/batch_stage.hpp"
#include "poplin/bias_loops.hpp"
#include "poplin/plan_options.hpp"
#include "poputil/unaliased_input.hpp"

#include <poplin/Convolution.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cstring>

namespace ipumodel {

namespace {

// activations <- activations, biases.
struct AddBias {
  static constexpr const char *kName = "poplin.addBias";

  StagePtr stage(const NativeOp &op, const std::string &name,
                 StageOperands &operands) const;
};

// biases <- zDeltas, biases, [scale tensor].
struct BiasUpdate {
  static constexpr const char *kName = "poplin.biasUpdate";
  float scale;
  bool hasScaleTensor;

  template <class Io> void fields(Io &io) { io(scale, hasScaleTensor); }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

// Rows per task; partial sums are added in the order of the tasks.
constexpr std::size_t kBiasRows = 512;

// [N, channels, ...] as [N, ..., channels].
View channelsInnermost(const View &view) {
  std::vector<unsigned> order = {0};
  for (unsigned d = 2; d < view.shape().size(); ++d)
    order.push_back(d);
  order.push_back(1);
  return view.dimShuffle(order);
}

class AddBiasStage : public BatchStage {
public:
  // Items of `elements`.
  AddBiasStage(std::size_t elements, std::size_t channels, FloatOperand biases)
      : channels_(channels), rows_(channels ? elements / channels : 0),
        biases_(std::move(biases)) {}

  void prepare(const Replica &replica, ThreadPool &pool) const override {
    biases_.load(replica, pool);
  }
  void run(const BatchItem &item) const override { addTo(item, 0, rows_); }
  std::size_t numParts() const override {
    return (rows_ + kBiasRows - 1) / kBiasRows;
  }
  void runPart(const BatchItem &item, std::size_t part) const override {
    addTo(item, part * kBiasRows, std::min(rows_, (part + 1) * kBiasRows));
  }

  Epilogue epilogue() const override {
    return {Epilogue::Kind::addBias, &biases_, channels_};
  }

private:
  void addTo(const BatchItem &item, std::size_t begin, std::size_t end) const {
    addBiasToRows(reinterpret_cast<float *>(item.operands[0]) +
                      begin * channels_,
                  end - begin, channels_, biases_.loaded(*item.replica));
  }

  std::size_t channels_, rows_; // of an item
  FloatOperand biases_;
};

class BiasUpdateInstruction : public Instruction {
public:
  BiasUpdateInstruction(const NativeOp &op, const std::string &name,
                        PlanBuilder &builder, ScaleFactor scale,
                        ScratchFrame frame)
      : channels_(op.outputs[0]->view.numElements()),
        count_(op.inputs[0]->view.numElements()),
        step_(builder.addStep({BiasUpdate::kName, name,
                               count_ / 8 / builder.sharingTiles() + 1})),
        deltas_(channelsInnermost(op.inputs[0]->view), op.inputs[0]->type,
                Access::read, builder, frame),
        biases_(*op.outputs[0], Access::readWrite, builder, frame),
        scale_(scale) {
    const std::size_t rows = channels_ ? count_ / channels_ : 0;
    tasks_ = (rows + kBiasRows - 1) / kBiasRows;
    partial_ =
        frame.take(tasks_ * channels_ * sizeof(float), Buffer::kAlignment);
  }

  void run(ExecutionState &state) const override {
    state.count(step_);
    if (count_ == 0)
      return;
    for (const Replica &replica : state.replicas) {
      ThreadPool &pool = state.pool;
      const float *deltas = deltas_.load(replica, pool);
      float *partial =
          reinterpret_cast<float *>(replica.scratch.data() + partial_);
      const std::size_t rows = count_ / channels_;
      pool.run(tasks_, [&](std::size_t task) {
        const std::size_t begin = task * kBiasRows;
        sumRows(deltas + begin * channels_, std::min(kBiasRows, rows - begin),
                channels_, partial + task * channels_);
      });
      float *biases = biases_.loadTarget(replica, pool);
      const float scale = scale_.in(replica);
      for (std::size_t c = 0; c < channels_; ++c) {
        float sum = partial[c];
        for (std::size_t task = 1; task < tasks_; ++task)
          sum += partial[task * channels_ + c];
        biases[c] += scale * sum;
      }
      biases_.store(replica, pool);
    }
  }

private:
  std::size_t channels_;
  std::size_t count_;
  StepId step_;
  FloatOperand deltas_;
  FloatOperand biases_;
  ScaleFactor scale_;
  std::size_t tasks_;
  std::size_t partial_;
};

StagePtr AddBias::stage(const NativeOp &op, const std::string &name,
                        StageOperands &operands) const {
  const TensorData &activations = *op.outputs[0], &biases = *op.inputs[1];
  if (!operands.addFloats(channelsInnermost(activations.view), activations.type,
                          Access::readWrite))
    return nullptr;
  const std::size_t count = activations.view.numElements();
  operands.step = {kName, name,
                   count / 8 / operands.builder.sharingTiles() + 1};
  return std::make_shared<AddBiasStage>(
      operands.batch ? count / operands.batch : 0, biases.view.numElements(),
      operands.addWhole(biases.view, biases.view, biases.type, Access::read));
}

InstructionPtr BiasUpdate::lower(const NativeOp &op, const std::string &name,
                                 PlanBuilder &builder) const {
  return std::make_shared<BiasUpdateInstruction>(
      op, name, builder,
      hasScaleTensor ? ScaleFactor(scale, *op.inputs[2], builder)
                     : ScaleFactor(scale),
      ScratchFrame(builder.memory()));
}

} // namespace

} // namespace ipumodel

namespace poplin {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

void checkChannels(const Tensor &activations, const Tensor &biases,
                   const char *function) {
  if (activations.rank() < 2)
    throw poplibs_error(std::string(function) + ": a tensor of rank " +
                        std::to_string(activations.rank()) +
                        " has no channels");
  if (biases.rank() != 1 || biases.dim(0) != activations.dim(1))
    throw poplibs_error(std::string(function) + ": biases of shape " +
                        biases.shapeToString() + " do not match " +
                        std::to_string(activations.dim(1)) + " channels");
  for (const Tensor *t : {&activations, &biases})
    if (t->elementType() != poplar::FLOAT && t->elementType() != poplar::HALF)
      throw poplibs_error(std::string(function) + " of " +
                          t->elementType().toString().cloneAsString() +
                          ": only HALF and FLOAT are supported");
}

void updateBiases(const Tensor &zDeltas, const Tensor &biases, float scale,
                  const Tensor *scaleTensor, const OptionFlags &options,
                  Sequence &prog, const DebugContext &debugContext) {
  ipumodel::checkConvolutionOptions(options);
  checkChannels(zDeltas, biases, "convolutionBiasUpdate");
  if (scaleTensor && (scaleTensor->numElements() != 1 ||
                      scaleTensor->elementType() != poplar::FLOAT))
    throw poplibs_error("convolutionBiasUpdate: the scale must be one FLOAT");
  std::vector<Tensor> inputs = {zDeltas, biases};
  if (scaleTensor)
    inputs.push_back(*scaleTensor);
  ipumodel::addNative(prog, ipumodel::BiasUpdate{scale, scaleTensor != nullptr},
                      {biases}, inputs, debugContext);
}

} // namespace

Tensor createBiases(Graph &graph, const Tensor &activations,
                    const DebugContext &debugContext) {
  if (activations.rank() < 2)
    throw poplibs_error("createBiases: a tensor of rank " +
                        std::to_string(activations.rank()) +
                        " has no channels");
  return poputil::createBroadcastOperand(
      graph, activations, activations.elementType(), 1, false, debugContext);
}

Tensor createBiases(Graph &graph, const Tensor &activations,
                    const ConvParams &params, const DebugContext &debugContext,
                    const OptionFlags &options, PlanningCache *) {
  params.validate();
  ipumodel::checkConvolutionOptions(options);
  return createBiases(graph, activations, debugContext);
}

void addBias(Graph &graph, const Tensor &in, const Tensor &biases,
             Sequence &prog, const DebugContext &debugContext) {
  checkChannels(in, biases, "addBias");
  if (in.elementType() != biases.elementType())
    throw poplibs_error("addBias: biases are " +
                        biases.elementType().toString().cloneAsString() +
                        ", the tensor " +
                        in.elementType().toString().cloneAsString());
  if (!in.isParallelWriteable())
    throw poplibs_error("addBias: the tensor cannot be written to");
  ipumodel::addNative(
      prog, ipumodel::AddBias{}, {in},
      {in, ipumodel::unaliasedInput(in, biases, graph, prog, debugContext)},
      debugContext);
}

void convolutionBiasUpdate(Graph &, const Tensor &zDeltas, const Tensor &biases,
                           const Tensor &scale, const OptionFlags &options,
                           Sequence &prog, const DebugContext &debugContext) {
  updateBiases(zDeltas, biases, 1.0f, &scale, options, prog, debugContext);
}

void convolutionBiasUpdate(Graph &, const Tensor &zDeltas, const Tensor &biases,
                           float scale, const OptionFlags &options,
                           Sequence &prog, const DebugContext &debugContext) {
  updateBiases(zDeltas, biases, scale, nullptr, options, prog, debugContext);
}

} // namespace poplin
