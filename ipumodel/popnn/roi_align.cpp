// ROIAlign: regions of features, pooled with bilinear interpolation.
#include "poplar/plan/float_operand.hpp"

#include <popnn/experimental/ROIAlign.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <limits>

namespace popnn {
namespace experimental {

namespace {

using ipumodel::Access;
using ipumodel::FloatOperand;
using ipumodel::InstructionPtr;
using ipumodel::NativeOp;
using ipumodel::NativeOperand;
using ipumodel::PlanBuilder;
using ipumodel::Replica;
using ipumodel::ScratchFrame;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

// Four elements of a channel, and their weights.
struct Corners {
  std::size_t at[4];
  float weights[4];
};

// A coordinate among `size` elements: the two neighbours and what of the value
// is the second's. False if it is more than an element outside.
bool interpolate(float x, std::size_t size, std::size_t neighbours[2],
                 float &second) {
  if (!(x >= -1.0f && x <= static_cast<float>(size)))
    return false;
  x = std::min(std::max(x, 0.0f), static_cast<float>(size - 1));
  neighbours[0] = static_cast<std::size_t>(x);
  neighbours[1] = std::min(neighbours[0] + 1, size - 1);
  second = x - static_cast<float>(neighbours[0]);
  return true;
}

// The features, which region r is pooled to [height, width] of.
struct RoiGeometry {
  std::size_t batch, channels, fieldHeight, fieldWidth;
  std::size_t regions, height, width;
  std::uint32_t samples;
  bool aligned;
  float scale;

  std::size_t field() const { return fieldHeight * fieldWidth; }
  std::size_t bins() const { return height * width; }

  // Calls use(bin, corners) for the points of a region that are in the field.
  template <class F> void forPoints(const float *region, F &&use) const {
    const float shift = aligned ? 0.5f : 0.0f;
    const float least = aligned ? 0.0f : 1.0f;
    const float left = region[0] * scale - shift;
    const float top = region[1] * scale - shift;
    const float stepX = std::max(region[2] * scale - shift - left, least) /
                        static_cast<float>(width);
    const float stepY = std::max(region[3] * scale - shift - top, least) /
                        static_cast<float>(height);
    const auto place = [&](std::size_t bin, std::uint32_t sample) {
      return static_cast<float>(bin) +
             (static_cast<float>(sample) + 0.5f) / static_cast<float>(samples);
    };
    for (std::size_t bin = 0; bin < bins(); ++bin)
      for (std::uint32_t sample = 0; sample < samples * samples; ++sample) {
        std::size_t rows[2], columns[2];
        float down, right;
        if (interpolate(top + place(bin / width, sample / samples) * stepY,
                        fieldHeight, rows, down) &&
            interpolate(left + place(bin % width, sample % samples) * stepX,
                        fieldWidth, columns, right))
          use(bin, Corners{{rows[0] * fieldWidth + columns[0],
                            rows[0] * fieldWidth + columns[1],
                            rows[1] * fieldWidth + columns[0],
                            rows[1] * fieldWidth + columns[1]},
                           {(1 - down) * (1 - right), (1 - down) * right,
                            down * (1 - right), down * right}});
      }
  }
};

// Operands: regions, items of the batch, and the values that are read; a task
// does one channel of all regions, so that sums have one order.
class RoiAlign : public ipumodel::Instruction {
public:
  RoiAlign(const NativeOp &op, ipumodel::StepId step,
           const RoiGeometry &geometry, bool isGradient, PlanBuilder &builder,
           ScratchFrame frame)
      : step_(step), geometry_(geometry), isGradient_(isGradient),
        regions_(*op.inputs[0], Access::read, builder, frame),
        items_(op.inputs[1]->view, sizeof(std::uint32_t), Access::read, builder,
               frame),
        source_(*op.inputs[2], Access::read, builder, frame),
        target_(*op.outputs[0], Access::write, builder, frame) {}

  void run(ipumodel::ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      const float *regions = regions_.load(replica, state.pool);
      items_.load(replica, state.pool);
      const auto *items =
          reinterpret_cast<const std::uint32_t *>(items_.at(replica));
      const float *source = source_.load(replica, state.pool);
      float *target = target_.target(replica);
      state.pool.run(geometry_.channels, [&](std::size_t channel) {
        if (isGradient_)
          scatter(channel, regions, items, source, target);
        else
          gather(channel, regions, items, source, target);
      });
      target_.store(replica, state.pool);
    }
  }

private:
  float share() const {
    return 1.0f / static_cast<float>(geometry_.samples * geometry_.samples);
  }

  void gather(std::size_t channel, const float *regions,
              const std::uint32_t *items, const float *features,
              float *pooled) const {
    const RoiGeometry &g = geometry_;
    for (std::size_t r = 0; r < g.regions; ++r) {
      float *bins = pooled + (r * g.channels + channel) * g.bins();
      if (items[r] >= g.batch) {
        std::fill_n(bins, g.bins(), std::numeric_limits<float>::quiet_NaN());
        continue;
      }
      std::fill_n(bins, g.bins(), 0.0f);
      const float *field =
          features + (items[r] * g.channels + channel) * g.field();
      g.forPoints(regions + r * 4, [&](std::size_t bin, const Corners &c) {
        for (unsigned i = 0; i < 4; ++i)
          bins[bin] += c.weights[i] * field[c.at[i]];
      });
      for (std::size_t bin = 0; bin < g.bins(); ++bin)
        bins[bin] *= share();
    }
  }

  void scatter(std::size_t channel, const float *regions,
               const std::uint32_t *items, const float *gradient,
               float *features) const {
    const RoiGeometry &g = geometry_;
    for (std::size_t item = 0; item < g.batch; ++item)
      std::fill_n(features + (item * g.channels + channel) * g.field(),
                  g.field(), 0.0f);
    for (std::size_t r = 0; r < g.regions; ++r) {
      if (items[r] >= g.batch)
        continue;
      const float *bins = gradient + (r * g.channels + channel) * g.bins();
      float *field = features + (items[r] * g.channels + channel) * g.field();
      g.forPoints(regions + r * 4, [&](std::size_t bin, const Corners &c) {
        for (unsigned i = 0; i < 4; ++i)
          field[c.at[i]] += c.weights[i] * bins[bin] * share();
      });
    }
  }

  ipumodel::StepId step_;
  RoiGeometry geometry_;
  bool isGradient_;
  FloatOperand regions_;
  NativeOperand items_;
  FloatOperand source_;
  FloatOperand target_;
};

struct RoiAlignParameters {
  std::uint32_t samples;
  bool aligned;
  float scale;

  template <class Io> void fields(Io &io) {
    io(samples);
    io(aligned);
    io(scale);
  }

  InstructionPtr lower(const char *kind, const NativeOp &op,
                       const std::string &name, PlanBuilder &builder,
                       bool isGradient) const {
    const auto &features =
        (isGradient ? op.outputs[0] : op.inputs[2])->view.shape();
    const auto &pooled =
        (isGradient ? op.inputs[2] : op.outputs[0])->view.shape();
    const RoiGeometry geometry{
        features[0], features[1], features[2], features[3], pooled[0],
        pooled[2],   pooled[3],   samples,     aligned,     scale};
    const std::size_t points =
        pooled[0] * pooled[1] * geometry.bins() * samples * samples;
    return std::make_shared<RoiAlign>(
        op, builder.addStep({kind, name, points + 1}), geometry, isGradient,
        builder, ScratchFrame(builder.memory()));
  }
};

// pooled <- regions, items, features.
struct RoiAlignForward : RoiAlignParameters {
  static constexpr const char *kName = "popnn.roiAlign";

  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const {
    return RoiAlignParameters::lower(kName, op, name, builder, false);
  }
};

// Gradient of the features <- regions, items, gradient of the pooled ones.
struct RoiAlignGradient : RoiAlignParameters {
  static constexpr const char *kName = "popnn.roiAlignInputGradient";

  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const {
    return RoiAlignParameters::lower(kName, op, name, builder, true);
  }
};

RoiAlignParameters check(const std::string &function, const Tensor &features,
                         const Tensor &regions, const Tensor &items,
                         const roiAlignParams &params) {
  const auto require = [&](bool condition, const std::string &what) {
    if (!condition)
      throw poplibs_error(function + ": " + what);
  };
  require(
      features.rank() == 4 && features.numElements() != 0 &&
          (features.elementType() == FLOAT || features.elementType() == HALF),
      "features are [N, C, H, W] of FLOAT or HALF, not " +
          features.elementType().toString() + " " + features.shapeToString());
  require(regions.rank() == 2 && regions.dim(1) == 4 &&
              regions.elementType() == features.elementType(),
          "regions are [R, 4] of the type of the features, not " +
              regions.elementType().toString() + " " + regions.shapeToString());
  require(
      items.shape() == std::vector<std::size_t>{regions.dim(0)} &&
          (items.elementType() == INT || items.elementType() == UNSIGNED_INT),
      "the batch index has an INT per region, not " +
          items.elementType().toString() + " " + items.shapeToString());
  require(params.samplingRatio_ > 0 && params.alignedHeight_ > 0 &&
              params.alignedWidth_ > 0 && params.spatialScale_ > 0,
          "sampling ratio, height, width and scale are more than 0");
  return {static_cast<std::uint32_t>(params.samplingRatio_), params.aligned_,
          params.spatialScale_};
}

Tensor addResult(Graph &graph, const Type &type,
                 const std::vector<std::size_t> &shape,
                 poputil::PoplibsOpDebugInfo &di) {
  const Tensor result = graph.addVariable(type, shape, {di});
  poputil::mapTensorLinearly(graph, result);
  di.addOutput(result);
  return result;
}

} // namespace

Tensor roiAlignFwd(Graph &graph, Sequence &prog, Tensor &bottomData,
                   Tensor &bottomRois, Tensor &bottomBatchIndex,
                   const roiAlignParams &params,
                   const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(bottomData, bottomRois, bottomBatchIndex));
  const RoiAlignForward forward{
      check("roiAlignFwd", bottomData, bottomRois, bottomBatchIndex, params)};
  const Tensor pooled = addResult(graph, bottomData.elementType(),
                                  {bottomRois.dim(0), bottomData.dim(1),
                                   params.alignedHeight_, params.alignedWidth_},
                                  di);
  ipumodel::addNative(prog, forward, {pooled},
                      {bottomRois, bottomBatchIndex, bottomData}, {di});
  return pooled;
}

Tensor roiAlignInputGradient(Graph &graph, Sequence &prog, Tensor &bottomData,
                             Tensor &bottomRois, Tensor &bottomBatchIndex,
                             Tensor &topDataGrad, const roiAlignParams &params,
                             const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext,
      DI_ARGS(bottomData, bottomRois, bottomBatchIndex, topDataGrad));
  const RoiAlignGradient gradient{check("roiAlignInputGradient", bottomData,
                                        bottomRois, bottomBatchIndex, params)};
  const std::vector<std::size_t> shape{bottomRois.dim(0), bottomData.dim(1),
                                       params.alignedHeight_,
                                       params.alignedWidth_};
  if (topDataGrad.shape() != shape ||
      topDataGrad.elementType() != bottomData.elementType())
    throw poplibs_error("roiAlignInputGradient: the gradient has the shape and "
                        "the type of the pooled features, not " +
                        topDataGrad.elementType().toString() + " " +
                        topDataGrad.shapeToString());
  const Tensor result =
      addResult(graph, bottomData.elementType(), bottomData.shape(), di);
  ipumodel::addNative(prog, gradient, {result},
                      {bottomRois, bottomBatchIndex, topDataGrad}, {di});
  return result;
}

} // namespace experimental
} // namespace popnn
