#include "poplin/channel_norm.hpp"

#include "poplar/plan/batch_stage.hpp"
#include "poplin/channel_loops.hpp"

#include <poputil/TileMapping.hpp>

#include <algorithm>

namespace ipumodel {

using poplar::DebugContext;
using poplar::FLOAT;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

namespace {

// [N, positions, C], of activations that areChannelRows().
Tensor channelRows(const Tensor &acts) {
  return acts.dimRoll(1, acts.rank() - 1).flatten(1, acts.rank() - 1);
}

const float *floatsOf(const BatchItem &item, std::size_t operand) {
  return reinterpret_cast<const float *>(item.operands[operand]);
}

using Form = ChannelMap::Form;

class ChannelMapStage : public BatchStage {
public:
  ChannelMapStage(Form form, const Shape &shape,
                  std::vector<FloatOperand> values)
      : form_(form), rows_(shape.at(1)), channels_(shape.at(2)),
        values_(std::move(values)) {}

  bool absorbSum(std::size_t term) override {
    if (relu_ || term_)
      return false;
    term_ = term;
    return true;
  }
  bool absorb(const BatchStage &next) override {
    if (relu_ || next.epilogue().kind != Epilogue::Kind::relu)
      return false;
    relu_ = true;
    return true;
  }

  // What is whitened is.
  bool isCheap() const override {
    return form_ == Form::whiten && !relu_ && !term_ &&
           values_[0].isInPlace() && values_[1].isInPlace();
  }
  ChannelWhitening whitening(const Replica &replica) const {
    return {values_[0].loaded(replica), values_[1].loaded(replica)};
  }
  // Null if it is no such stage, or of other channels.
  static const ChannelMapStage *whitens(const BatchStage &stage,
                                        std::size_t channels) {
    const auto *map = dynamic_cast<const ChannelMapStage *>(&stage);
    return map && map->isCheap() && map->channels_ == channels ? map : nullptr;
  }
  bool canRemake(std::size_t operand, const BatchStage &maker) const override {
    return operand == (form_ == Form::centre ? 2 : 1) &&
           form_ != Form::whiten && !whitens_ && whitens(maker, channels_);
  }
  void remake(std::size_t, const BatchStage &maker) override {
    whitens_ = whitens(maker, channels_);
  }

  void prepare(const Replica &replica, ThreadPool &pool) const override {
    for (const FloatOperand &values : values_)
      values.load(replica, pool);
  }
  void run(const BatchItem &item) const override {
    ChannelMapArrays arrays{};
    arrays.x = floatsOf(item, 1);
    arrays.out = reinterpret_cast<float *>(item.operands[0]);
    arrays.relu = relu_;
    if (term_)
      arrays.term = floatsOf(item, term_);
    if (whitens_)
      arrays.whitening = whitens_->whitening(*item.replica);
    for (std::size_t i = 0; i < values_.size(); ++i)
      arrays.values[i] = values_[i].loaded(*item.replica);
    switch (form_) {
    case Form::whiten:
      return whitenChannels(arrays, rows_, channels_);
    case Form::scale:
      return scaleChannels(arrays, rows_, channels_);
    case Form::centre:
      arrays.y = floatsOf(item, 2);
      return centreChannels(arrays, rows_, channels_);
    }
  }

private:
  Form form_;
  std::size_t rows_, channels_; // of an item
  std::vector<FloatOperand> values_;
  const ChannelMapStage *whitens_ = nullptr; // whose work it does before
  std::size_t term_ = 0; // operand that is added to the result; 0 if none is
  bool relu_ = false;    // then
};

// Each group of items has its own sums.
class ChannelSumsStage : public BatchStage {
public:
  ChannelSumsStage(ChannelSums::Form form, float scale, const Shape &shape,
                   FloatOperand first, FloatOperand second,
                   StageOperands &operands)
      : form_(form), scale_(scale), rows_(shape.at(1)), channels_(shape.at(2)),
        first_(std::move(first)), second_(std::move(second)),
        at_(operands.takePerGroup(2 * channels_ * sizeof(float))) {}

  bool canRemake(std::size_t operand, const BatchStage &maker) const override {
    return form_ == ChannelSums::Form::products && operand == 0 && !whitens_ &&
           ChannelMapStage::whitens(maker, channels_);
  }
  void remake(std::size_t, const BatchStage &maker) override {
    whitens_ = ChannelMapStage::whitens(maker, channels_);
  }
  bool repeats(const BatchStage &earlier) override {
    const auto *same = dynamic_cast<const ChannelSumsStage *>(&earlier);
    if (!same || same->form_ != form_ || same->rows_ != rows_ ||
        same->channels_ != channels_)
      return false;
    at_ = same->at_;
    return true;
  }

  void run(const BatchItem &item) const override {
    float *const sums = sumsOf(*item.replica, item.group);
    if (item.isFirst)
      std::fill_n(sums, 2 * channels_, 0.0f);
    if (form_ == ChannelSums::Form::moments)
      addMoments(floatsOf(item, 0), rows_, channels_, {sums, sums + channels_});
    else
      addProducts(floatsOf(item, 0),
                  whitens_ ? whitens_->whitening(*item.replica)
                           : ChannelWhitening{nullptr, nullptr},
                  floatsOf(item, 1), rows_, channels_,
                  {sums, sums + channels_});
  }

  std::size_t numFinishTasks() const override { return 1; }
  void finish(const Replica &replica, std::size_t) const override {
    float *const first = first_.target(replica);
    float *const second = second_.target(replica);
    for (std::size_t c = 0; c < channels_; ++c) {
      float totals[2] = {};
      for (std::size_t group = 0; group < kBatchGroups; ++group) {
        totals[0] += sumsOf(replica, group)[c];
        totals[1] += sumsOf(replica, group)[channels_ + c];
      }
      first[c] = scale_ * totals[0];
      second[c] = scale_ * totals[1];
    }
  }
  void conclude(const Replica &replica, ThreadPool &pool) const override {
    first_.store(replica, pool);
    second_.store(replica, pool);
  }

private:
  float *sumsOf(const Replica &replica, std::size_t group) const {
    return reinterpret_cast<float *>(replica.scratch.data() + at_) +
           group * 2 * channels_;
  }

  ChannelSums::Form form_;
  float scale_;
  std::size_t rows_, channels_; // of an item
  FloatOperand first_, second_;
  const ChannelMapStage *whitens_ = nullptr; // whose work it does before
  std::size_t at_;                           // in scratch
};

Step stepOf(const char *kind, const std::string &name, const NativeOp &op,
            const PlanBuilder &builder) {
  const std::size_t count = op.inputs[0]->view.numElements();
  return {kind, name, count / 4 / builder.sharingTiles() + 1};
}

} // namespace

StagePtr ChannelSums::stage(const NativeOp &op, const std::string &name,
                            StageOperands &operands) const {
  operands.isLight = true;
  for (const TensorPtr &in : op.inputs)
    if (!operands.addFloats(in->view, in->type, Access::read))
      return nullptr;
  operands.step = stepOf(kName, name, op, operands.builder);
  const auto sums = [&](std::size_t i) {
    const TensorData &out = *op.outputs[i];
    return operands.addWhole(out.view, out.view, out.type, Access::write);
  };
  return std::make_shared<ChannelSumsStage>(
      form, scale, op.inputs[0]->view.shape(), sums(0), sums(1), operands);
}

StagePtr ChannelMap::stage(const NativeOp &op, const std::string &name,
                           StageOperands &operands) const {
  operands.isLight = true;
  const std::size_t numItems = form == Form::centre ? 2 : 1;
  if (!operands.addFloats(op.outputs[0]->view, op.outputs[0]->type,
                          Access::write))
    return nullptr;
  std::vector<FloatOperand> values;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const TensorData &in = *op.inputs[i];
    if (i >= numItems)
      values.push_back(
          operands.addWhole(in.view, in.view, in.type, Access::read));
    else if (!operands.addFloats(in.view, in.type, Access::read))
      return nullptr;
  }
  operands.step = stepOf(kName, name, op, operands.builder);
  return std::make_shared<ChannelMapStage>(form, op.outputs[0]->view.shape(),
                                           std::move(values));
}

bool areChannelRows(const Tensor &acts) {
  constexpr std::size_t kLeast = 8; // also of the items of a batch
  return acts.elementType() == FLOAT && acts.rank() > 2 &&
         acts.dim(0) >= kLeast && acts.dim(1) >= kLeast &&
         acts.numElements() >= kLeast * acts.dim(0) * acts.dim(1) &&
         channelRows(acts).isContiguous();
}

std::vector<Tensor> channelSums(Graph &graph, ChannelSums::Form form,
                                float scale, const std::vector<Tensor> &of,
                                Sequence &prog, const DebugContext &context) {
  std::vector<Tensor> sums, rows;
  for (const char *name : {"first", "second"})
    sums.push_back(poputil::createBroadcastOperand(graph, of.at(0), FLOAT, 1,
                                                   true, {context, name}));
  for (const Tensor &t : of)
    rows.push_back(channelRows(t));
  addNative(prog, ChannelSums{form, scale}, sums, rows, context);
  return sums;
}

Tensor channelMap(Graph &graph, ChannelMap::Form form,
                  const std::vector<Tensor> &of,
                  const std::vector<Tensor> &values, Sequence &prog,
                  const DebugContext &context) {
  const Tensor result = graph.clone(of.at(0), context);
  std::vector<Tensor> inputs;
  for (const Tensor &t : of)
    inputs.push_back(channelRows(t));
  for (const Tensor &value : values)
    inputs.push_back(value.flatten());
  addNative(prog, ChannelMap{form}, {channelRows(result)}, inputs, context);
  return result;
}

bool areChannelValues(const Tensor &acts, const std::vector<Tensor> &values) {
  return areChannelRows(acts) &&
         std::all_of(values.begin(), values.end(), [&](const Tensor &value) {
           return value.elementType() == FLOAT &&
                  value.numElements() == acts.dim(1);
         });
}

} // namespace ipumodel
