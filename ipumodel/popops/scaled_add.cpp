#include "popops/map/map_program.hpp"

#include <popops/ScaledAdd.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

#include <optional>

namespace poputil {

template <>
poplar::ProfileValue
toProfileValue(const popops::ScaledAddSpecialisation &speciality) {
  return poplar::ProfileValue(speciality ==
                                      popops::ScaledAddSpecialisation::DEFAULT
                                  ? "DEFAULT"
                                  : "X_MINUS_AX_PLUS_BY");
}

} // namespace poputil

namespace popops {

namespace {

using namespace ipumodel;

using expr::BinaryOpType;
using expr::TernaryOpType;
using poplar::DebugContext;
using poplar::FLOAT;
using poplar::Graph;
using poplar::HALF;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poputil::poplibs_error;
using Speciality = ScaledAddSpecialisation;

// A scale: a tensor of one element, or a constant.
struct Scale {
  Scale(float value) // NOLINT(google-explicit-constructor)
      : value(value) {}
  Scale(const Tensor &tensor) // NOLINT(google-explicit-constructor)
      : tensor(tensor) {}

  float value = 0;
  std::optional<Tensor> tensor;
};

float parseTolerance(const OptionFlags &options) {
  bool optimizeForSpeed = false;
  double tolerance = 1e-6;
  const poplibs::OptionSpec spec{
      {"optimizeForSpeed",
       poplibs::OptionHandler::createWithBool(optimizeForSpeed)},
      {"scaleFloatToHalfTolerance",
       poplibs::OptionHandler::createWithDouble(tolerance)}};
  for (const auto &entry : options)
    spec.parse(entry.first, entry.second);
  return static_cast<float>(tolerance);
}

bool isFloating(const Type &type) { return type == HALF || type == FLOAT; }

class ScaledAddition {
public:
  ScaledAddition(const Tensor &a, const std::optional<Scale> &scaleA,
                 const Tensor &b, const Scale &scaleB, float tolerance)
      : inputs_{a, b}, scaleAIndex_(addInput(scaleA)),
        scaleBIndex_(addInput(scaleB)), builder_(types(inputs_)),
        scaleA_(scaleA), scaleB_(scaleB), tolerance_(tolerance) {}

  void addTo(Sequence &prog, bool subtract, Speciality speciality,
             const DebugContext &debugContext) {
    const Type type = inputs_[0].elementType();
    const MapValue sum = !isFloating(type) ? integerSum(type, subtract)
                         : speciality == Speciality::X_MINUS_AX_PLUS_BY
                             ? decayedSum()
                             : floatSum(subtract);
    builder_.output(builder_.cast(sum, type));
    addMap(prog, builder_, {inputs_[0]}, inputs_, debugContext);
  }

private:
  std::size_t addInput(const std::optional<Scale> &scale) {
    if (!scale || !scale->tensor)
      return 0;
    if (scale->tensor->numElements() != 1)
      throw poplibs_error("The scale of a scaled sum must be a single element, "
                          "not of shape " +
                          scale->tensor->shapeToString());
    inputs_.push_back(scale->tensor->reshape({}));
    return inputs_.size() - 1;
  }

  static std::vector<Type> types(const std::vector<Tensor> &tensors) {
    std::vector<Type> result;
    for (const Tensor &tensor : tensors)
      result.push_back(tensor.elementType());
    return result;
  }

  MapValue scale(const Scale &scale, std::size_t index, const Type &type) {
    return scale.tensor ? builder_.cast(builder_.input(index), type)
                        : builder_.constant(type, scale.value);
  }

  MapValue product(const MapValue &a, const MapValue &b) {
    return builder_.apply(BinaryOpType::MULTIPLY, a, b);
  }

  MapValue sum(const MapValue &a, const MapValue &b, bool subtract) {
    return builder_.apply(subtract ? BinaryOpType::SUBTRACT : BinaryOpType::ADD,
                          a, b);
  }

  MapValue integerSum(const Type &type, bool subtract) {
    MapValue a = builder_.input(0);
    if (scaleA_)
      a = product(a, scale(*scaleA_, scaleAIndex_, type));
    const MapValue b = builder_.cast(builder_.input(1), type);
    return sum(a, product(b, scale(scaleB_, scaleBIndex_, type)), subtract);
  }

  MapValue isHalf(const MapValue &value) {
    const MapValue half = builder_.cast(builder_.cast(value, HALF), FLOAT);
    return builder_.apply(BinaryOpType::EQUAL, value, half);
  }

  // HALF tensors are computed in half, rounding each product, if the scales
  // allow it, else in float.
  MapValue floatSum(bool subtract) {
    const MapValue a = builder_.cast(builder_.input(0), FLOAT);
    const MapValue b = builder_.cast(builder_.input(1), FLOAT);
    const bool mayBeHalf =
        inputs_[0].elementType() == HALF && inputs_[1].elementType() == HALF;
    MapValue byB = scale(scaleB_, scaleBIndex_, FLOAT);
    std::optional<MapValue> byA;
    if (scaleA_)
      byA = scale(*scaleA_, scaleAIndex_, FLOAT);
    std::optional<MapValue> inHalf;
    if (mayBeHalf) {
      byB = builder_.snapToHalf(byB, tolerance_);
      inHalf = isHalf(byB);
      if (byA) {
        byA = builder_.snapToHalf(*byA, tolerance_);
        inHalf =
            builder_.apply(BinaryOpType::LOGICAL_AND, *inHalf, isHalf(*byA));
      }
    }
    const auto term = [&](const MapValue &value, const MapValue &by) {
      const MapValue exact = product(value, by);
      if (!inHalf)
        return exact;
      const MapValue rounded = builder_.cast(builder_.cast(exact, HALF), FLOAT);
      return builder_.apply(TernaryOpType::SELECT, rounded, exact, *inHalf);
    };
    return sum(byA ? term(a, *byA) : a, term(b, byB), subtract);
  }

  // a - scaleA * a + scaleB * b
  MapValue decayedSum() {
    const auto halfScale = [&](const Scale &by, std::size_t index) {
      return builder_.cast(scale(by, index, HALF), FLOAT);
    };
    const MapValue a = builder_.cast(builder_.input(0), FLOAT);
    const MapValue b = builder_.cast(builder_.input(1), FLOAT);
    const MapValue rest =
        sum(a, product(a, halfScale(*scaleA_, scaleAIndex_)), true);
    return sum(rest, product(b, halfScale(scaleB_, scaleBIndex_)), false);
  }

  std::vector<Tensor> inputs_; // A, B, and the scales that are tensors
  std::size_t scaleAIndex_, scaleBIndex_;
  MapBuilder builder_;
  std::optional<Scale> scaleA_;
  Scale scaleB_;
  float tolerance_;
};

void addScaled(const Tensor &a, const std::optional<Scale> &scaleA,
               const Tensor &b, const Scale &scaleB, Sequence &prog,
               bool subtract, Speciality speciality,
               const DebugContext &debugContext, const OptionFlags &options) {
  const float tolerance = parseTolerance(options);
  const Type type = a.elementType();
  if (!a.isParallelWriteable())
    throw poplibs_error("A scaled sum is written to a tensor that contains "
                        "constants, or elements more than once");
  if (a.shape() != b.shape())
    throw poplibs_error("The tensors of a scaled sum have different shapes: " +
                        a.shapeToString() + " and " + b.shapeToString());
  for (const Type &operand : {type, b.elementType()})
    if (!isFloating(operand) && operand != poplar::INT &&
        operand != poplar::UNSIGNED_INT)
      throw poplibs_error("Scaled sums are not defined for " +
                          operand.toString());
  if (speciality == Speciality::X_MINUS_AX_PLUS_BY && type != HALF)
    throw poplibs_error("X_MINUS_AX_PLUS_BY is only defined for HALF, not " +
                        type.toString());
  ScaledAddition(a, scaleA, b, scaleB, tolerance)
      .addTo(prog, subtract, speciality, debugContext);
}

} // namespace

void scaledAddTo(Graph &, Tensor A, Tensor B, float scaleB, Sequence &prog,
                 const DebugContext &debugContext, const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, scaleB, options));
  addScaled(A, std::nullopt, B, scaleB, prog, false, Speciality::DEFAULT, {di},
            options);
}

void scaledAddTo(Graph &, Tensor A, Tensor B, Tensor scaleB, Sequence &prog,
                 const DebugContext &debugContext, const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, scaleB, options));
  addScaled(A, std::nullopt, B, scaleB, prog, false, Speciality::DEFAULT, {di},
            options);
}

void scaledSubtractFrom(Graph &, Tensor A, Tensor B, float scaleB,
                        Sequence &prog, const DebugContext &debugContext,
                        const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, scaleB, options));
  addScaled(A, std::nullopt, B, scaleB, prog, true, Speciality::DEFAULT, {di},
            options);
}

void scaledSubtractFrom(Graph &, Tensor A, Tensor B, Tensor scaleB,
                        Sequence &prog, const DebugContext &debugContext,
                        const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, scaleB, options));
  addScaled(A, std::nullopt, B, scaleB, prog, true, Speciality::DEFAULT, {di},
            options);
}

void scaledAddTo(Graph &, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB,
                 Sequence &prog, const DebugContext &debugContext,
                 const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(A, scaleA, B, scaleB, options));
  addScaled(A, Scale(scaleA), B, scaleB, prog, false, Speciality::DEFAULT, {di},
            options);
}

void scaledAddTo(Graph &, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB,
                 Sequence &prog, const Speciality speciality,
                 const DebugContext &debugContext, const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(A, scaleA, B, scaleB, speciality, options));
  addScaled(A, Scale(scaleA), B, scaleB, prog, false, speciality, {di},
            options);
}

void scaledAddTo(Graph &, Tensor A, float scaleA, Tensor B, float scaleB,
                 Sequence &prog, const DebugContext &debugContext,
                 const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(A, scaleA, B, scaleB, options));
  addScaled(A, Scale(scaleA), B, scaleB, prog, false, Speciality::DEFAULT, {di},
            options);
}

void scaledAddTo(Graph &, Tensor A, float scaleA, Tensor B, float scaleB,
                 Sequence &prog, const Speciality speciality,
                 const DebugContext &debugContext, const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(A, scaleA, B, scaleB, speciality, options));
  addScaled(A, Scale(scaleA), B, scaleB, prog, false, speciality, {di},
            options);
}

void scaledSubtractFrom(Graph &, Tensor A, Tensor scaleA, Tensor B,
                        Tensor scaleB, Sequence &prog,
                        const DebugContext &debugContext,
                        const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(A, scaleA, B, scaleB, options));
  addScaled(A, Scale(scaleA), B, scaleB, prog, true, Speciality::DEFAULT, {di},
            options);
}

void scaledSubtractFrom(Graph &, Tensor A, float scaleA, Tensor B, float scaleB,
                        Sequence &prog, const DebugContext &debugContext,
                        const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(A, scaleA, B, scaleB, options));
  addScaled(A, Scale(scaleA), B, scaleB, prog, true, Speciality::DEFAULT, {di},
            options);
}

} // namespace popops
