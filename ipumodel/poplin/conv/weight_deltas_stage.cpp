// The gradient of a convolution's weights, image by image: each group of images
// has separate sums, and the groups are added in order.
#include "poplar/operators/scale_factor.hpp"
#include "poplar/plan/batch_stage.hpp"
#include "poplin/bias_loops.hpp"
#include "poplin/conv/conv_kernel.hpp"
#include "poplin/conv/conv_product.hpp"
#include "poplin/conv/padded_image.hpp"
#include "poplin/conv/winograd_deltas.hpp"
#include "poplin/matmul/sparse_product.hpp"

#include <poplar/Type.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace ipumodel {

namespace {

// Larger gradients are not worth a copy per group.
constexpr std::size_t kMaxWeights = 128 * 1024;
// Shorter rows of the kernel would fill too few vectors.
constexpr std::size_t kMinSparseRun = 32;
// A cache line, so that no two tasks write to the same one.
constexpr std::size_t kFinishColumns = 16;

// The weights in memory, if in the order of kernelFirst(): a matrix with a
// column per output channel.
struct WeightMatrix {
  std::size_t offset; // in memory
  std::size_t rows, columns;
  ScaleFactor scale;
  bool accumulate;

  std::size_t count() const { return rows * columns; }
};

// One set of sums per group.
class GroupSums {
public:
  GroupSums(std::size_t count, StageOperands &operands)
      : count_(count), at_(operands.takePerGroup(count * sizeof(float))),
        usedAt_(operands.takePerGroup(sizeof(std::uint32_t))) {}

  void reset(const BatchItem &item) const {
    used(*item.replica)[item.group] = 0;
  }
  // Zero before their first use.
  float *use(const BatchItem &item) const {
    if (beginUse(item))
      std::memset(of(item), 0, count_ * sizeof(float));
    return of(item);
  }
  // True before their first use, when they are to be overwritten.
  bool beginUse(const BatchItem &item) const {
    return std::exchange(used(*item.replica)[item.group], 1) == 0;
  }
  float *of(const BatchItem &item) const {
    return of(*item.replica, item.group);
  }
  bool areUsed(const Replica &replica) const {
    const std::uint32_t *flags = used(replica);
    return std::any_of(flags, flags + kBatchGroups,
                       [](std::uint32_t flag) { return flag != 0; });
  }
  // Adds elements [begin, begin + n), `step` apart, of all groups.
  void addTo(float *totals, const Replica &replica, std::size_t begin,
             std::size_t n, std::size_t step) const {
    for (std::size_t group = 0; group < kBatchGroups; ++group) {
      if (!used(replica)[group])
        continue;
      const float *sums = of(replica, group) + begin;
      if (step == 1)
        addToSums(sums, n, totals);
      else
        for (std::size_t i = 0; i < n; ++i)
          totals[i] += sums[i * step];
    }
  }

private:
  float *of(const Replica &replica, std::size_t group) const {
    return reinterpret_cast<float *>(replica.scratch.data() + at_) +
           group * count_;
  }
  std::uint32_t *used(const Replica &replica) const {
    return reinterpret_cast<std::uint32_t *>(replica.scratch.data() + usedAt_);
  }

  std::size_t count_;
  std::size_t at_, usedAt_; // in scratch
};

// Adds, for each output channel, the windows where its gradient is not zero.
// The sums are stored as [out, kernel, kernel, kernel, in].
class WindowSums {
public:
  WindowSums(const ConvGeometry &g, std::size_t count, StageOperands &operands)
      : sums(count, operands),
        channels_(g.outChannels), lines_{g.kernelRuns(), g.runLength(),
                                         g.kernelRuns() > 1
                                             ? g.runOffset(1) - g.runOffset(0)
                                             : 0,
                                         g.runLength()},
        first_(g.runOffset(0)) {
    for (std::size_t d = 0; d < g.output[0]; ++d)
      for (std::size_t h = 0; h < g.output[1]; ++h)
        for (std::size_t w = 0; w < g.output[2]; ++w)
          windows_.push_back(static_cast<std::uint32_t>(
              g.windowOffset(d, h) + w * g.stride[2] * g.totalIn()));
    entries_ = windows_.size() * channels_ + kNonZeroSlack;
    endsAt_ = operands.takePerGroup(windows_.size() * sizeof(std::uint32_t));
    foundAt_ = operands.takePerGroup(entries_ * sizeof(Entry));
    byChannelAt_ = operands.takePerGroup(entries_ * sizeof(Entry));
    sumsAt_ = operands.takePerGroup(channels_ * sizeof(SparseSum));
  }

  // Returns false, and adds nothing, if the gradient is not sparse. Else asks
  // for the image.
  template <class F>
  bool add(const BatchItem &item, const float *deltas, F &&image) const {
    const std::size_t positions = windows_.size();
    const Entries found = entriesAt(item, foundAt_);
    auto *const ends = scratch<std::uint32_t>(item, endsAt_, positions);
    const std::size_t limit = sparseLimit(positions * channels_);
    if (findNonZero(deltas, positions, channels_, limit, 1,
                    {ends, found.offsets, found.values}) > limit)
      return false;
    // By channel: the windows, and the gradients to multiply them with.
    const Entries rows = entriesAt(item, byChannelAt_);
    auto *const channels = scratch<SparseSum>(item, sumsAt_, channels_);
    for (std::size_t c = 0; c < channels_; ++c) {
      const auto first = static_cast<std::uint32_t>(c * positions);
      channels[c] = {
          first, first,
          static_cast<std::uint32_t>(c * lines_.count * lines_.length)};
    }
    std::size_t i = 0;
    for (std::size_t position = 0; position < positions; ++position)
      for (; i < ends[position]; ++i) {
        const std::size_t at = channels[found.offsets[i]].end++;
        rows.offsets[at] = windows_[position];
        rows.values[at] = found.values[i];
      }
    const bool isFirst = sums.beginUse(item);
    std::size_t used = 0;
    for (std::size_t c = 0; c < channels_; ++c) {
      channels[used] = channels[c];
      used += isFirst || channels[c].begin != channels[c].end;
    }
    addSparseProducts({rows.offsets, rows.values, channels, used, isFirst},
                      lines_, image() + first_, sums.of(item));
    return true;
  }

  GroupSums sums;

private:
  struct Entry {
    std::uint32_t offset;
    float value;
  };
  struct Entries {
    std::uint32_t *offsets;
    float *values;
  };
  template <class T>
  static T *scratch(const BatchItem &item, std::size_t at, std::size_t size) {
    return reinterpret_cast<T *>(item.replica->scratch.data() + at) +
           item.group * size;
  }
  // The offsets of a group, followed by as many values.
  Entries entriesAt(const BatchItem &item, std::size_t at) const {
    auto *const first =
        reinterpret_cast<char *>(scratch<Entry>(item, at, entries_));
    return {reinterpret_cast<std::uint32_t *>(first),
            reinterpret_cast<float *>(first) + entries_};
  }

  std::size_t channels_;
  Lines lines_;
  std::size_t first_;
  std::vector<std::uint32_t> windows_; // the start of each in an image
  std::size_t entries_;                // maximum, if no element is zero
  std::size_t endsAt_, foundAt_, byChannelAt_, sumsAt_; // in scratch
};

class WeightDeltasStage : public BatchStage {
public:
  WeightDeltasStage(const poplin::ConvParams &params, WeightMatrix weights,
                    StageOperands &operands)
      : geometry_(params), batch_(params.batchSize), weights_(weights),
        products_(weights.count(), operands) {
    if (!isUntransformed(params.inputTransform))
      padded_.emplace(params, geometry_, operands);
    if (WinogradDeltas::fits(params))
      winograd_.emplace(params, operands);
    const ConvGeometry &g = geometry_;
    const bool lines = g.equalLines();
    if (lines && g.runLength() >= kMinSparseRun)
      windows_.emplace(g, weights.count(), operands);
    runsPerProduct_ = lines ? g.kernelRuns() : 1;
    numProducts_ = lines ? 1 : g.groups * g.kernelRuns();
    shape_.m = runsPerProduct_ * g.runLength();
    shape_.n = g.outChannels;
    shape_.lineLength = g.runLength();
    shape_.lineStep = runsPerProduct_ > 1 ? g.runOffset(1) - g.runOffset(0) : 0;
    shape_.rowStep = 1;
    shape_.aColumn = g.stride[2] * g.totalIn();
    shape_.bRow = g.totalOut();
    shape_.cRow = g.outChannels;
    shape_.cLine = shape_.lineLength * shape_.cRow;
    for (std::size_t d = 0; d < g.output[0]; ++d)
      for (std::size_t h = 0; h < g.output[1]; ++h)
        terms_.push_back(
            {g.windowOffset(d, h), g.outputOffset(d, h), g.output[2]});
  }

  void run(const BatchItem &item) const override {
    const auto *deltas = reinterpret_cast<const float *>(item.operands[0]);
    const auto *image = reinterpret_cast<const float *>(item.operands[1]);
    if (item.isFirst)
      reset(item);
    const auto activations = [&] {
      return padded_ ? padded_->copy(item, image) : image;
    };
    if (!windows_ || !windows_->add(item, deltas, activations)) {
      if (winograd_ && winograd_->takes(image, deltas))
        winograd_->add(item, image, deltas);
      else
        multiply(item, deltas, activations());
    }
    const bool isLast =
        item.index + 1 == batch_ * (item.group + 1) / kBatchGroups;
    if (winograd_ && isLast && winograd_->isUsed(item))
      winograd_->addTo(item, products_.use(item));
  }

  std::size_t numFinishTasks() const override {
    return (weights_.columns + kFinishColumns - 1) / kFinishColumns;
  }
  void finish(const Replica &replica, std::size_t task) const override {
    if (windows_ && windows_->sums.areUsed(replica))
      finishColumns(replica, task);
    else
      finishProducts(replica, task);
  }

private:
  static constexpr std::size_t kFinishRows = 256;

  void reset(const BatchItem &item) const {
    products_.reset(item);
    if (windows_)
      windows_->sums.reset(item);
    if (padded_)
      padded_->clear(item);
    if (winograd_)
      winograd_->reset(item);
  }

  float *weightsIn(const Replica &replica) const {
    return reinterpret_cast<float *>(replica.memory.data() + weights_.offset);
  }

  // Finishes sums of windows, which are stored column by column.
  void finishColumns(const Replica &replica, std::size_t task) const {
    const WeightMatrix &w = weights_;
    const float factor = w.scale.in(replica);
    float *const weights = weightsIn(replica);
    const std::size_t first = task * kFinishColumns;
    const std::size_t count = std::min(kFinishColumns, w.columns - first);
    for (std::size_t begin = 0; begin < w.rows; begin += kFinishRows) {
      const std::size_t n = std::min(kFinishRows, w.rows - begin);
      float totals[kFinishColumns][kFinishRows];
      for (std::size_t c = 0; c < count; ++c) {
        std::fill_n(totals[c], n, 0.0f);
        products_.addTo(totals[c], replica, begin * w.columns + first + c, n,
                        w.columns);
        windows_->sums.addTo(totals[c], replica, (first + c) * w.rows + begin,
                             n, 1);
      }
      for (std::size_t i = 0; i < n; ++i) {
        float *const row = weights + (begin + i) * w.columns + first;
        for (std::size_t c = 0; c < count; ++c)
          row[c] = factor * totals[c][i] + (w.accumulate ? row[c] : 0.0f);
      }
    }
  }

  // Finishes an equal share of sums of products only, which are stored like the
  // weights.
  void finishProducts(const Replica &replica, std::size_t task) const {
    const WeightMatrix &w = weights_;
    const float factor = w.scale.in(replica);
    float *const weights = weightsIn(replica);
    const std::size_t tasks = numFinishTasks();
    const std::size_t end = w.count() * (task + 1) / tasks;
    for (std::size_t begin = w.count() * task / tasks; begin < end;
         begin += kFinishRows) {
      const std::size_t n = std::min(kFinishRows, end - begin);
      float totals[kFinishRows] = {};
      products_.addTo(totals, replica, begin, n, 1);
      for (std::size_t i = 0; i < n; ++i)
        weights[begin + i] =
            factor * totals[i] + (w.accumulate ? weights[begin + i] : 0.0f);
    }
  }

  void multiply(const BatchItem &item, const float *deltas,
                const float *activations) const {
    const ConvGeometry &g = geometry_;
    float *sums = products_.use(item);
    GemmEpilogue add;
    add.accumulate = true;
    const std::size_t perGroup = numProducts_ / g.groups;
    for (std::size_t product = 0; product < numProducts_; ++product) {
      const std::size_t group = product / perGroup;
      const std::size_t run = product % perGroup * runsPerProduct_;
      gemm(shape_, 0, shape_.m,
           activations + g.runOffset(run) + group * g.inChannels,
           deltas + group * g.outChannels, terms_.data(), terms_.size(),
           sums +
               (group * g.kernelRuns() + run) * g.runLength() * g.outChannels,
           add);
    }
  }

  ConvGeometry geometry_;
  std::size_t batch_;
  WeightMatrix weights_;
  GroupSums products_;
  std::optional<PaddedImage> padded_;      // else the image is used as it is
  std::optional<WinogradDeltas> winograd_; // for images that it can take
  std::optional<WindowSums> windows_;      // if sparse images are worth it
  std::vector<GemmTerm> terms_;
  GemmShape shape_;
  std::size_t runsPerProduct_, numProducts_;
};

} // namespace

StagePtr WeightDeltas::stage(const NativeOp &op, const std::string &name,
                             StageOperands &operands) const {
  const ConvGeometry geometry(params);
  const TensorData &weights = *op.outputs[0];
  const std::size_t count = weights.view.numElements();
  if (operands.where == StageOperands::Items::staged)
    return nullptr; // lower() adds up the whole batch at once
  if (weights.type != poplar::FLOAT || count == 0 || count > kMaxWeights)
    return operands.refuse("it has no weights, too many or not of FLOAT");
  const std::optional<std::size_t> place = operands.builder.contiguousOffset(
      kernelFirst(usedWeights(weights.view, params, false)), sizeof(float));
  const bool isDirect = isOnlyPadded(params.inputTransform) &&
                        geometry.output == geometry.paddedOut &&
                        geometry.kernel[0] * geometry.kernel[1] *
                                geometry.kernel[2] * geometry.inChannels *
                                geometry.totalOut() ==
                            count;
  if (!place || !isDirect)
    return operands.refuse("images or weights are transformed all at once");
  if (!operands.addFloats(channelsLast(op.inputs[0]->view), op.inputs[0]->type,
                          Access::read) ||
      !operands.addFloats(channelsLast(op.inputs[1]->view), params.inputType,
                          Access::read))
    return nullptr;
  operands.addLateWhole(weights.view, Access::write);
  if (hasScaleTensor)
    operands.addLateWhole(op.inputs[2]->view, Access::read);
  operands.step = {kName, name,
                   convCycles(operands.builder.graph().target, geometry)};
  const WeightMatrix matrix{
      *place, count / geometry.outChannels, geometry.outChannels,
      hasScaleTensor ? ScaleFactor(scale, *op.inputs[2], operands.builder)
                     : ScaleFactor(scale),
      accumulate};
  return std::make_shared<WeightDeltasStage>(params, matrix, operands);
}

} // namespace ipumodel
