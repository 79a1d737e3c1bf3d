// A program of random operations on random views.
#pragma once

#include "random_model.hpp"
#include "random_network.hpp"

#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>

#include <vector>

namespace poplibstest {

using namespace popops::expr;

constexpr popnn::NonLinearityType kNonLinearities[] = {
    popnn::NonLinearityType::RELU, popnn::NonLinearityType::TANH,
    popnn::NonLinearityType::GELU, popnn::NonLinearityType::SOFTMAX_STABLE};
constexpr BinaryOpType kBinaryOps[] = {
    BinaryOpType::ADD, BinaryOpType::SUBTRACT, BinaryOpType::MULTIPLY,
    BinaryOpType::MAXIMUM, BinaryOpType::MINIMUM};

class RandomProgram : private RandomModel {
public:
  // Two of five are a small network and some operations, others only these.
  RandomProgram(unsigned seed, RandomForm form) : RandomModel(seed, form) {
    for (const Type &type :
         {FLOAT, FLOAT, FLOAT, HALF, HALF, INT, INT, UNSIGNED_INT})
      views.add(addWritten(type, views.shape(3)));
    const bool hasNetwork = views.below(5) < 2;
    const std::size_t count = hasNetwork ? views.below(3) : 3 + views.below(8);
    const std::size_t network = hasNetwork ? views.below(count + 1) : count + 1;
    for (std::size_t i = 0; i <= count; ++i) {
      if (i == network) {
        Sequence part;
        RandomNetwork(*this).addTo(part);
        add(part);
      }
      if (i == count)
        break;
      Sequence part;
      addOperation(part);
      if (views.oneIn(4))
        addOperation(part);
      add(part);
    }
  }

  using RandomModel::graph;
  const Sequence &program() const { return prog_; }
  Seen run() { return RandomModel::run(prog_); }

private:
  void add(const Sequence &part) {
    const auto times = static_cast<unsigned>(1 + views.below(2));
    if (views.oneIn(2))
      prog_.add(part);
    else
      prog_.add(program::Repeat(times, part));
  }

  Type floatingPoint() { return views.oneIn(3) ? HALF : FLOAT; }
  Type number() { return views.oneIn(4) ? INT : floatingPoint(); }

  using RandomModel::input;
  Tensor input(const Type &type, const Shape &shape, Sequence &prog) {
    return input(views.view(type, shape), prog);
  }
  // An input that may share elements with the target.
  Tensor input(const Tensor &target, const Shape &shape, Sequence &prog) {
    return views.oneIn(3) ? input(views.viewOf(target, shape), prog)
                          : input(target.elementType(), shape, prog);
  }
  void addOperation(Sequence &prog) {
    switch (views.below(10)) {
    case 0:
      return addExpression(prog);
    case 1:
      return addInPlace(prog);
    case 2:
      return addScaledAdd(prog);
    case 3:
      return addReduction(prog);
    case 4:
    case 5:
      return addProduct(prog);
    case 6:
      return addConvolution(prog);
    case 7:
      return addNonLinearity(prog);
    case 8:
      return addSlice(prog);
    default:
      return addCast(prog);
    }
  }

  void addVerticesToSome(const Tensor &batch, Sequence &prog) {
    if (batch.elementType() == FLOAT && views.oneIn(2))
      addVertices(batch, prog);
  }

  void addExpression(Sequence &prog) {
    const Type type = number();
    const Shape shape = views.shape(3);
    const Tensor a = input(type, shape, prog),
                 b = input(type, views.broadcastableTo(shape), prog),
                 c = input(type, views.broadcastableTo(shape), prog);
    const Any forms[] = {Any(_1 + _2 * _3), Any(_1 - _2 * Const(2)),
                         Any(Max(_1, Const(0)) - _3),
                         Any(Select(_1, Const(0), _1 + _2 > Const(0)))};
    keep(popops::map(graph, forms[views.below(4)], {a, b, c}, prog));
  }

  void addInPlace(Sequence &prog) {
    const Shape shape = views.shape(3);
    const Tensor target = views.target(number(), shape);
    const Tensor other = input(target, views.broadcastableTo(shape), prog);
    const BinaryOpType op = kBinaryOps[views.below(5)];
    update(target, prog, [&](const Tensor &t) {
      popops::mapInPlace(graph, op, t, other, prog);
    });
  }

  void addScaledAdd(Sequence &prog) {
    const Shape shape = views.shape(3);
    const Tensor target = views.target(floatingPoint(), shape);
    const Tensor other = input(target, shape, prog);
    const Tensor scale = input(target.elementType(), {}, prog);
    const bool isConstant = views.oneIn(2);
    update(target, prog, [&](const Tensor &t) {
      if (isConstant)
        popops::scaledAddTo(graph, t, other, 0.3f, prog);
      else
        popops::scaledSubtractFrom(graph, t, other, scale, prog);
    });
  }

  void addReduction(Sequence &prog) {
    const Type type = number();
    const Shape shape = views.shape(3);
    Shape dims, kept;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (views.oneIn(2))
        dims.push_back(d);
      else
        kept.push_back(shape[d]);
    const bool isSum = views.oneIn(2) && (type == INT || form.floatSums);
    const popops::Operation op =
        isSum ? popops::Operation::ADD : popops::Operation::MAX;
    const Tensor target = views.target(type, kept);
    const Tensor in = input(target, shape, prog);
    if (views.oneIn(2))
      keep(popops::reduce(graph, in, dims, op, prog));
    else
      update(target, prog, [&](const Tensor &t) {
        popops::reduceWithOutput(graph, in, t, dims, op, prog);
      });
  }

  void addProduct(Sequence &prog) {
    const Type type = floatingPoint();
    const std::size_t m = 1 + views.below(60), k = 1 + views.below(30),
                      n = 1 + views.below(80);
    const Tensor target = views.target(type, {m, n});
    const Tensor a = input(target, {m, k}, prog);
    const Tensor b = input(target, {k, n}, prog);
    if (views.oneIn(4))
      return update(target, prog, [&](const Tensor &t) {
        poplin::matMulAcc(graph, t, 0.5f, a, b, prog);
      });
    const Tensor gradient = poplin::matMul(graph, a, b, prog);
    const Tensor scale =
        views.oneIn(4) ? gradient.flatten().slice(0, 1) : input(type, {}, prog);
    update(target, prog, [&](const Tensor &t) {
      popops::mapInPlace(graph, _1 - _2 * _3, {t, gradient, scale}, prog);
    });
    if (views.oneIn(4))
      keep(gradient);
  }

  void addConvolution(Sequence &prog) {
    const Type type = floatingPoint();
    const std::size_t batch = 1 + views.below(12);
    // Small ones, and some that are made by Winograd's method.
    const bool isLarge = views.oneIn(3);
    const std::size_t least = isLarge ? 16 : 1;
    const Shape field = isLarge ? Shape{7, 7} : Shape{6, 5};
    const std::size_t in = least + views.below(4), out = least + views.below(4);
    const Shape kernel{3, isLarge ? 3u : 2u};
    poplin::ConvParams params(type, batch, field, kernel, in, out, 1);
    params.inputTransform.paddingLower[0] = views.oneIn(2);
    params.outputTransform.stride[1] = 1 + (!isLarge && views.oneIn(2));
    const Tensor x = input(type, {batch, in, field[0], field[1]}, prog);
    const Tensor w = input(type, {1, out, in, kernel[0], kernel[1]}, prog);
    const Tensor y = poplin::convolution(graph, x, w, params, false, prog);
    addVerticesToSome(y, prog);
    if (views.oneIn(2))
      poplin::addBias(graph, y, input(type, {out}, prog), prog);
    addVerticesToSome(y, prog);
    if (views.oneIn(2))
      popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::RELU, y, prog);
    addVerticesToSome(y, prog);
    if (views.oneIn(2))
      addPooling(y, prog);
    if (views.oneIn(2))
      keep(y);
  }

  // Max pooling that may leave out lines, and its gradient, which may be gated
  // and far from it.
  void addPooling(const Tensor &y, Sequence &prog) {
    const unsigned step = 1 + views.oneIn(2);
    const popnn::pooling::PoolParams params(
        popnn::PoolingType::MAX, {y.dim(2), y.dim(3)}, {2, 2}, {2, step},
        {0, 0}, {0, 0}, y.dim(1), y.dim(0), y.elementType());
    const Tensor pooled = popnn::pooling::pool(graph, params, y, prog);
    addVerticesToSome(pooled, prog);
    keep(pooled);
    if (views.oneIn(2))
      return;
    const Tensor view = views.view(y.elementType(), pooled.shape());
    if (views.oneIn(2))
      addNonLinearity(prog);
    // A copy is made after that, which may change what is viewed.
    const Tensor gradient = input(view, prog);
    const Tensor spread = popnn::pooling::poolInputGradient(
        graph, params, y, pooled, gradient, views.oneIn(2), prog);
    addVerticesToSome(spread, prog);
    keep(views.oneIn(2)
             ? popnn::nonLinearityInputGradient(
                   graph, popnn::NonLinearityType::RELU, y, spread, prog)
             : spread);
  }

  void addNonLinearity(Sequence &prog) {
    const popnn::NonLinearityType type = kNonLinearities[views.below(4)];
    const Shape shape = views.shape(3);
    const Tensor target = views.target(floatingPoint(), shape);
    if (views.oneIn(2))
      return update(target, prog, [&](const Tensor &t) {
        popnn::nonLinearityInPlace(graph, type, t, prog);
      });
    const Tensor act = input(target, shape, prog);
    const Tensor gradient = input(target, shape, prog);
    keep(popnn::nonLinearityInputGradient(graph, type, act, gradient, prog));
  }

  void addSlice(Sequence &prog) {
    const OptionFlags options{{"remapOutOfBoundIndices", "true"}};
    const Shape shape = views.shape(3);
    const std::size_t dim = views.below(shape.size());
    Shape part = shape;
    part[dim] = 1 + views.below(shape[dim]);
    const Tensor target = views.target(number(), shape);
    const Tensor offset = input(UNSIGNED_INT, {1}, prog);
    if (views.oneIn(2))
      keep(popops::dynamicSlice(graph, input(target, shape, prog), offset,
                                {dim}, {part[dim]}, prog, {}, options));
    const Tensor slice = input(target, part, prog);
    update(target, prog, [&](const Tensor &t) {
      popops::dynamicUpdate(graph, t, slice, offset, {dim}, {part[dim]}, prog,
                            {}, options);
    });
  }

  void addCast(Sequence &prog) {
    const Shape shape = views.shape(3);
    if (views.oneIn(2))
      keep(popops::cast(graph, input(number(), shape, prog), FLOAT, prog));
    const Tensor target = views.target(number(), shape);
    prog.add(Copy(input(target, shape, prog), target));
  }

  Sequence prog_;
};

} // namespace poplibstest
