// Spline convolutions: the basis at the coordinates of edges, and the products.
#include "poplar/plan/float_operand.hpp"

#include <popops/SplineBasis.hpp>
#include <popops/SplineWeighting.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace popops {

namespace {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

template <class F> void forEdges(std::size_t edges, ThreadPool &pool, F &&f) {
  constexpr std::size_t kEdges = 256; // per task
  pool.run((edges + kEdges - 1) / kEdges, [&](std::size_t task) {
    const std::size_t end = std::min(edges, (task + 1) * kEdges);
    for (std::size_t edge = task * kEdges; edge < end; ++edge)
      f(edge);
  });
}

// The `which`-th of the degree + 1 uniform B-splines that are not 0, at `x` of
// the way between two knots.
float spline(unsigned degree, unsigned which, float x) {
  const float rest = 1 - x;
  if (degree == 1)
    return which == 0 ? rest : x;
  if (degree == 2)
    return which == 0   ? rest * rest / 2
           : which == 1 ? x * rest + 0.5f
                        : x * x / 2;
  switch (which) {
  case 0:
    return rest * rest * rest / 6;
  case 1:
    return ((3 * x - 6) * x * x + 4) / 6;
  case 2:
    return (((3 - 3 * x) * x + 3) * x + 1) / 6;
  default:
    return x * x * x / 6;
  }
}

class SplineBasis : public ipumodel::Instruction {
public:
  SplineBasis(const NativeOp &op, ipumodel::StepId step, unsigned degree,
              PlanBuilder &builder, ScratchFrame frame)
      : step_(step), edges_(op.inputs[0]->view.shape()[0]),
        dims_(op.inputs[0]->view.shape()[1]),
        splines_(op.outputs[0]->view.shape()[1]), degree_(degree),
        pseudo_(*op.inputs[0], Access::read, builder, frame),
        sizes_(op.inputs[1]->view, sizeof(std::int32_t), Access::read, builder,
               frame),
        open_(op.inputs[2]->view, 1, Access::read, builder, frame),
        basis_(*op.outputs[0], Access::write, builder, frame),
        indices_(op.outputs[1]->view, sizeof(std::int32_t), Access::write,
                 builder, frame) {}

  void run(ipumodel::ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      const float *pseudo = pseudo_.load(replica, state.pool);
      sizes_.load(replica, state.pool);
      open_.load(replica, state.pool);
      const auto *sizes =
          reinterpret_cast<const std::int32_t *>(sizes_.at(replica));
      const auto *open =
          reinterpret_cast<const std::uint8_t *>(open_.at(replica));
      float *basis = basis_.target(replica);
      auto *indices = reinterpret_cast<std::int32_t *>(indices_.at(replica));
      forEdges(edges_, state.pool, [&](std::size_t edge) {
        computeEdge(pseudo + edge * dims_, sizes, open, basis + edge * splines_,
                    indices + edge * splines_);
      });
      basis_.store(replica, state.pool);
      indices_.store(replica, state.pool);
    }
  }

private:
  void computeEdge(const float *pseudo, const std::int32_t *sizes,
                   const std::uint8_t *open, float *basis,
                   std::int32_t *indices) const {
    std::fill_n(basis, splines_, 1.0f);
    std::fill_n(indices, splines_, 0);
    std::int64_t stride = 1;
    std::size_t period = 1;
    for (std::size_t dim = 0; dim < dims_; ++dim) {
      const std::int64_t size = std::max(sizes[dim], 1);
      const float x = pseudo[dim] *
                      static_cast<float>(
                          size - (open[dim] != 0 ? std::int64_t(degree_) : 0));
      const float knot = std::floor(x);
      // What is not a coordinate has NaN in the basis, and any weight.
      const std::int64_t first =
          std::abs(knot) < 0x1p62f ? static_cast<std::int64_t>(knot) : 0;
      for (std::size_t i = 0; i < splines_; ++i) {
        const auto which = static_cast<unsigned>(i / period % (degree_ + 1));
        basis[i] *= spline(degree_, which, x - knot);
        indices[i] += static_cast<std::int32_t>(
            ((first + which) % size + size) % size * stride);
      }
      period *= degree_ + 1;
      stride *= size;
    }
  }

  ipumodel::StepId step_;
  std::size_t edges_, dims_, splines_;
  unsigned degree_;
  FloatOperand pseudo_;
  NativeOperand sizes_, open_;
  FloatOperand basis_;
  NativeOperand indices_;
};

// basis, weightIndex <- pseudo, kernelSize, isOpenSpline.
struct SplineBasisOperator {
  static constexpr const char *kName = "popops.splineBasis";
  std::uint32_t degree;

  template <class Io> void fields(Io &io) { io(degree); }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const {
    return std::make_shared<SplineBasis>(
        op,
        builder.addStep({kName, name, op.outputs[0]->view.numElements() + 1}),
        degree, builder, ScratchFrame(builder.memory()));
  }
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex("popops::SplineBasis", op.inputs[0]->type,
                                   degree);
  }
};

class SplineWeighting : public ipumodel::Instruction {
public:
  SplineWeighting(const NativeOp &op, ipumodel::StepId step,
                  PlanBuilder &builder, ScratchFrame frame)
      : step_(step), edges_(op.inputs[0]->view.shape()[0]),
        splines_(op.inputs[2]->view.shape()[1]),
        kernel_(op.inputs[1]->view.shape()[0]),
        inputs_(op.inputs[1]->view.shape()[1]),
        outputs_(op.inputs[1]->view.shape()[2]),
        input_(*op.inputs[0], Access::read, builder, frame),
        weight_(*op.inputs[1], Access::read, builder, frame),
        basis_(*op.inputs[2], Access::read, builder, frame),
        indices_(op.inputs[3]->view, sizeof(std::int32_t), Access::read,
                 builder, frame),
        output_(*op.outputs[0], Access::write, builder, frame) {}

  void run(ipumodel::ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      const float *input = input_.load(replica, state.pool);
      const float *weight = weight_.load(replica, state.pool);
      const float *basis = basis_.load(replica, state.pool);
      indices_.load(replica, state.pool);
      const auto *indices =
          reinterpret_cast<const std::int32_t *>(indices_.at(replica));
      float *output = output_.target(replica);
      forEdges(edges_, state.pool, [&](std::size_t edge) {
        float *sums = output + edge * outputs_;
        std::fill_n(sums, outputs_, 0.0f);
        for (std::size_t s = edge * splines_; s < (edge + 1) * splines_; ++s)
          addSpline(input + edge * inputs_, weight, basis[s], indices[s], sums);
      });
      output_.store(replica, state.pool);
    }
  }

private:
  void addSpline(const float *input, const float *weight, float basis,
                 std::int32_t index, float *sums) const {
    if (index < 0 || static_cast<std::size_t>(index) >= kernel_) {
      std::fill_n(sums, outputs_, std::numeric_limits<float>::quiet_NaN());
      return;
    }
    const float *row =
        weight + static_cast<std::size_t>(index) * inputs_ * outputs_;
    for (std::size_t i = 0; i < inputs_; ++i, row += outputs_) {
      const float factor = basis * input[i];
      for (std::size_t o = 0; o < outputs_; ++o)
        sums[o] += factor * row[o];
    }
  }

  ipumodel::StepId step_;
  std::size_t edges_, splines_, kernel_, inputs_, outputs_;
  FloatOperand input_, weight_, basis_;
  NativeOperand indices_;
  FloatOperand output_;
};

// output <- input, weight, basis, weightIndex.
struct SplineWeightingOperator {
  static constexpr const char *kName = "popops.splineWeighting";

  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const {
    const std::size_t products = op.inputs[2]->view.numElements() *
                                 op.inputs[1]->view.shape()[1] *
                                 op.inputs[1]->view.shape()[2];
    return std::make_shared<SplineWeighting>(
        op, builder.addStep({kName, name, products + 1}), builder,
        ScratchFrame(builder.memory()));
  }
};

void requireSpline(bool condition, const char *function,
                   const std::string &what) {
  if (!condition)
    throw poplibs_error(std::string(function) + ": " + what);
}

bool isSplineValue(const Tensor &t) {
  return t.elementType() == FLOAT || t.elementType() == HALF;
}

std::string splineOperand(const Tensor &t) {
  return t.elementType().toString() + " " + t.shapeToString();
}

} // namespace

void splineBasis(Graph &, const Tensor &pseudo, const Tensor &kernelSize,
                 const Tensor &isOpenSpline, const Tensor &basis,
                 const Tensor &weightIndex, unsigned degree, Sequence &prog,
                 const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext,
      DI_ARGS(pseudo, kernelSize, isOpenSpline, basis, weightIndex, degree));
  const auto check = [](bool condition, const std::string &what) {
    requireSpline(condition, "splineBasis", what);
  };
  check(degree >= 1 && degree <= 3,
        "the degree is 1, 2 or 3, not " + std::to_string(degree));
  check(pseudo.rank() == 2 && isSplineValue(pseudo),
        "pseudo is a matrix of FLOAT or HALF, not " + splineOperand(pseudo));
  const std::vector<std::size_t> perDim{pseudo.dim(1)};
  check(kernelSize.shape() == perDim && kernelSize.elementType() == INT,
        "kernelSize has one INT per dimension, not " +
            splineOperand(kernelSize));
  check(isOpenSpline.shape() == perDim &&
            (isOpenSpline.elementType() == UNSIGNED_CHAR ||
             isOpenSpline.elementType() == BOOL),
        "isOpenSpline has one UNSIGNED_CHAR per dimension, not " +
            splineOperand(isOpenSpline));
  std::size_t splines = 1;
  for (std::size_t dim = 0; dim < pseudo.dim(1); ++dim)
    splines *= degree + 1;
  const std::vector<std::size_t> perEdge{pseudo.dim(0), splines};
  check(basis.shape() == perEdge && basis.elementType() == pseudo.elementType(),
        "basis has " + std::to_string(splines) +
            " elements per edge, of the type of pseudo, not " +
            splineOperand(basis));
  check(weightIndex.shape() == perEdge && weightIndex.elementType() == INT,
        "weightIndex has " + std::to_string(splines) + " INT per edge, not " +
            splineOperand(weightIndex));
  ipumodel::addNative(prog, SplineBasisOperator{degree}, {basis, weightIndex},
                      {pseudo, kernelSize, isOpenSpline}, {di});
}

Tensor splineWeighting(Graph &graph, const Tensor &input, const Tensor &weight,
                       const Tensor &basis, const Tensor &weightIndex,
                       Sequence &prog, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(input, weight, basis, weightIndex));
  const auto check = [](bool condition, const std::string &what) {
    requireSpline(condition, "splineWeighting", what);
  };
  check(input.rank() == 2 && isSplineValue(input),
        "the input is a matrix of FLOAT or HALF, not " + splineOperand(input));
  check(weight.rank() == 3 && weight.dim(1) == input.dim(1) &&
            weight.elementType() == input.elementType(),
        "a weight has a row per channel of the input, " + splineOperand(input) +
            ", but weights are " + splineOperand(weight));
  check(basis.rank() == 2 && basis.dim(0) == input.dim(0) &&
            basis.elementType() == input.elementType(),
        "basis has a row per row of the input, " + splineOperand(input) +
            ", but is " + splineOperand(basis));
  check(weightIndex.shape() == basis.shape() &&
            weightIndex.elementType() == INT,
        "weightIndex has an INT per element of the basis, " +
            splineOperand(basis) + ", but is " + splineOperand(weightIndex));
  const Tensor output = graph.addVariable(input.elementType(),
                                          {input.dim(0), weight.dim(2)}, {di});
  poputil::mapTensorLinearly(graph, output);
  ipumodel::addNative(prog, SplineWeightingOperator{}, {output},
                      {input, weight, basis, weightIndex}, {di});
  di.addOutput(output);
  return output;
}

} // namespace popops
