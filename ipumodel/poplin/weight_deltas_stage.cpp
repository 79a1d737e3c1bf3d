// The gradient of a convolution's weights image by image: each group of images
// has a sum of its own, and the groups are added in order.
#include "poplar/batch_stage.hpp"
#include "poplar/scale_factor.hpp"
#include "poplin/conv_kernel.hpp"
#include "poplin/conv_product.hpp"
#include "poplin/scaled_rows.hpp"

#include <poplar/Type.hpp>

#include <algorithm>
#include <cstring>

namespace ipumodel {

namespace {

// Larger gradients are not worth a copy per group.
constexpr std::size_t kMaxWeights = 128 * 1024;
// Shorter rows of the kernel do not fill a few vectors.
constexpr std::size_t kMinSparseRun = 32;
constexpr std::size_t kFinishColumns = 8;

// Where the sums of the groups are, and how they become weights.
struct WeightSums {
  std::size_t weights; // offset in memory, in the order of kernelFirst()
  std::size_t count;
  std::size_t sums; // offset in scratch
  ScaleFactor scale;
  bool accumulate;

  float *of(const Replica &replica, std::size_t group) const {
    return reinterpret_cast<float *>(replica.scratch.data() + sums) +
           group * count;
  }
  float *start(const BatchItem &item) const {
    float *sum = of(*item.replica, item.group);
    if (item.isFirst)
      std::memset(sum, 0, count * sizeof(float));
    return sum;
  }
  // The groups' sums of `n` elements from `at` on, stored `step` apart.
  void finish(const Replica &replica, std::size_t at, std::size_t n, float *to,
              std::size_t step) const {
    const float factor = scale.in(replica);
    constexpr std::size_t kBlock = 64;
    for (std::size_t begin = 0; begin < n; begin += kBlock) {
      const std::size_t size = std::min(kBlock, n - begin);
      float totals[kBlock];
      std::copy_n(of(replica, 0) + at + begin, size, totals);
      for (std::size_t group = 1; group < kBatchGroups; ++group) {
        const float *sum = of(replica, group) + at + begin;
        for (std::size_t i = 0; i < size; ++i)
          totals[i] += sum[i];
      }
      for (std::size_t i = 0; i < size; ++i) {
        float &weight = to[(begin + i) * step];
        weight = factor * totals[i] + (accumulate ? weight : 0.0f);
      }
    }
  }
};

class WeightDeltasStage : public BatchStage {
public:
  WeightDeltasStage(const ConvGeometry &geometry, WeightSums sums)
      : geometry_(geometry), sums_(sums) {
    const ConvGeometry &g = geometry_;
    runsPerProduct_ = g.kernelRuns();
    products_ = 1;
    const bool lines = g.equalLines() && g.kernel[0] == 1;
    if (!lines) {
      runsPerProduct_ = 1;
      products_ = g.groups * g.kernelRuns();
    }
    shape_.m = runsPerProduct_ * g.runLength();
    shape_.n = g.outChannels;
    shape_.lineLength = g.runLength();
    shape_.lineStep = runsPerProduct_ > 1 ? g.runOffset(1) - g.runOffset(0) : 0;
    shape_.rowStep = 1;
    shape_.aColumn = g.stride[2] * g.totalIn();
    shape_.bRow = g.totalOut();
    shape_.cRow = g.outChannels;
    for (std::size_t d = 0; d < g.output[0]; ++d)
      for (std::size_t h = 0; h < g.output[1]; ++h)
        terms_.push_back(
            {g.windowOffset(d, h), g.outputOffset(d, h), g.output[2]});
  }

  void run(const BatchItem &item) const override {
    const ConvGeometry &g = geometry_;
    float *sum = sums_.start(item);
    const auto *deltas = reinterpret_cast<const float *>(item.operands[0]);
    const auto *activations = reinterpret_cast<const float *>(item.operands[1]);
    GemmEpilogue add;
    add.accumulate = true;
    const std::size_t perGroup = products_ / g.groups;
    for (std::size_t product = 0; product < products_; ++product) {
      const std::size_t group = product / perGroup;
      const std::size_t run = product % perGroup * runsPerProduct_;
      gemm(shape_, 0, shape_.m,
           activations + g.runOffset(run) + group * g.inChannels,
           deltas + group * g.outChannels, terms_.data(), terms_.size(),
           sum + (group * g.kernelRuns() + run) * g.runLength() * g.outChannels,
           add);
    }
  }

  std::size_t numFinishTasks() const override { return 1; }
  void finish(const Replica &replica, std::size_t) const override {
    sums_.finish(
        replica, 0, sums_.count,
        reinterpret_cast<float *>(replica.memory.data() + sums_.weights), 1);
  }

private:
  ConvGeometry geometry_;
  WeightSums sums_;
  std::vector<GemmTerm> terms_;
  GemmShape shape_;
  std::size_t runsPerProduct_, products_;
};

// For each output channel, adds the windows at which its gradient is not zero.
// The sums lie as [out, kernel, kernel, kernel, in].
class SparseWeightDeltasStage : public BatchStage {
public:
  SparseWeightDeltasStage(const ConvGeometry &geometry, WeightSums sums,
                          StageOperands &operands)
      : geometry_(geometry), sums_(sums),
        positions_(geometry.output[0] * geometry.output[1] *
                   geometry.output[2]) {
    const ConvGeometry &g = geometry_;
    for (std::size_t d = 0; d < g.output[0]; ++d)
      for (std::size_t h = 0; h < g.output[1]; ++h)
        for (std::size_t w = 0; w < g.output[2]; ++w)
          windows_.push_back(static_cast<std::uint32_t>(
              g.windowOffset(d, h) + w * g.stride[2] * g.totalIn()));
    const std::size_t entries = positions_ * g.outChannels;
    offsetsAt_ = operands.takePerGroup(entries * sizeof(std::uint32_t));
    factorsAt_ = operands.takePerGroup(entries * sizeof(float));
    rowAt_ = operands.takePerGroup(rowBytes());
  }

  void run(const BatchItem &item) const override {
    const ConvGeometry &g = geometry_;
    char *const scratch = item.replica->scratch.data();
    const std::size_t entries = positions_ * g.outChannels;
    auto *offsets = reinterpret_cast<std::uint32_t *>(scratch + offsetsAt_) +
                    item.group * entries;
    auto *factors =
        reinterpret_cast<float *>(scratch + factorsAt_) + item.group * entries;
    // Of one position: the channels, their values; of all: counts by channel.
    auto *channels = reinterpret_cast<std::uint32_t *>(scratch + rowAt_ +
                                                       item.group * rowBytes());
    auto *values =
        reinterpret_cast<float *>(channels + g.outChannels + kNonZeroSlack);
    auto *counts = reinterpret_cast<std::uint32_t *>(values + g.outChannels +
                                                     kNonZeroSlack);
    const auto *deltas = reinterpret_cast<const float *>(item.operands[0]);
    const auto *activations = reinterpret_cast<const float *>(item.operands[1]);
    std::memset(counts, 0, g.outChannels * sizeof(std::uint32_t));
    for (std::size_t p = 0; p < positions_; ++p) {
      const std::size_t found = findNonZero(deltas + p * g.outChannels,
                                            g.outChannels, 1, channels, values);
      for (std::size_t i = 0; i < found; ++i) {
        const std::size_t at = channels[i] * positions_ + counts[channels[i]]++;
        offsets[at] = windows_[p];
        factors[at] = values[i];
      }
    }
    float *sum = sums_.start(item);
    const std::size_t run = g.runLength(), runs = g.kernelRuns();
    const Lines lines{runs, run, runs > 1 ? g.runOffset(1) - g.runOffset(0) : 0,
                      run};
    for (std::size_t c = 0; c < g.outChannels; ++c)
      if (counts[c])
        addScaledRows(
            {offsets + c * positions_, factors + c * positions_, counts[c]},
            lines, activations + g.runOffset(0), sum + c * runs * run);
  }

  std::size_t numFinishTasks() const override {
    return (geometry_.outChannels + kFinishColumns - 1) / kFinishColumns;
  }
  void finish(const Replica &replica, std::size_t task) const override {
    const std::size_t columns = geometry_.outChannels;
    const std::size_t rows = sums_.count / columns;
    auto *weights =
        reinterpret_cast<float *>(replica.memory.data() + sums_.weights);
    const std::size_t end = std::min(columns, (task + 1) * kFinishColumns);
    for (std::size_t c = task * kFinishColumns; c < end; ++c)
      sums_.finish(replica, c * rows, rows, weights + c, columns);
  }

private:
  std::size_t rowBytes() const {
    return (3 * geometry_.outChannels + 2 * kNonZeroSlack) * sizeof(float);
  }

  ConvGeometry geometry_;
  WeightSums sums_;
  std::size_t positions_;
  std::vector<std::uint32_t> windows_; // where each starts in an image
  std::size_t offsetsAt_, factorsAt_, rowAt_;
};

std::unique_ptr<BatchStage> makeWeightDeltas(const NativeOp &op,
                                             const std::string &name,
                                             StageOperands &operands) {
  ParameterReader reader(op.parameters);
  const poplin::ConvParams params = getConvParams(reader);
  const auto scale = reader.get<float>();
  const auto hasScaleTensor = reader.get<bool>();
  const auto accumulate = reader.get<bool>();
  const ConvGeometry geometry(params);
  const TensorData &weights = *op.outputs[0];
  const std::size_t count = weights.view.numElements();
  if (params.inputType != poplar::FLOAT || weights.type != poplar::FLOAT ||
      op.inputs[0]->type != poplar::FLOAT || count == 0 ||
      count > kMaxWeights || geometry.output != geometry.paddedOut ||
      geometry.kernel[0] * geometry.kernel[1] * geometry.kernel[2] *
              geometry.inChannels * geometry.totalOut() !=
          count)
    return nullptr;
  const std::optional<std::size_t> place = operands.builder.contiguousOffset(
      kernelFirst(usedWeights(weights.view, params, false)), sizeof(float));
  const View activations = channelsLast(op.inputs[1]->view);
  if (!place ||
      activations.numElements() != params.batchSize * geometry.imageSize() ||
      !operands.addItems(channelsLast(op.inputs[0]->view), sizeof(float),
                         Access::read) ||
      !operands.addItems(activations, sizeof(float), Access::read))
    return nullptr;
  operands.addWhole(weights.view, Access::write);
  if (hasScaleTensor)
    operands.addWhole(op.inputs[2]->view, Access::read);
  operands.step = {kWeightDeltasKernel, name,
                   convCycles(operands.builder.graph().target, geometry)};
  const WeightSums sums{
      *place, count, operands.takePerGroup(count * sizeof(float)),
      hasScaleTensor ? ScaleFactor(scale, *op.inputs[2], operands.builder)
                     : ScaleFactor(scale),
      accumulate};
  if (geometry.equalLines() && geometry.runLength() >= kMinSparseRun)
    return std::make_unique<SparseWeightDeltasStage>(geometry, sums, operands);
  return std::make_unique<WeightDeltasStage>(geometry, sums);
}

[[maybe_unused]] const bool registered =
    registerStage(kWeightDeltasKernel, makeWeightDeltas);

} // namespace

} // namespace ipumodel
