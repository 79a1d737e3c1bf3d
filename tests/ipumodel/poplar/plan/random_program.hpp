// A program of random operations on random views.
#pragma once

#include "host_values.hpp"
#include "random_views.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
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

#include <sstream>
#include <string>
#include <vector>

namespace poplibstest {

using namespace poplar;
using namespace popops::expr;
using program::Copy;
using program::Sequence;

using Shape = RandomViews::Shape;
constexpr popnn::NonLinearityType kNonLinearities[] = {
    popnn::NonLinearityType::RELU, popnn::NonLinearityType::TANH,
    popnn::NonLinearityType::GELU, popnn::NonLinearityType::SOFTMAX_STABLE};
constexpr BinaryOpType kBinaryOps[] = {
    BinaryOpType::ADD, BinaryOpType::SUBTRACT, BinaryOpType::MULTIPLY,
    BinaryOpType::MAXIMUM, BinaryOpType::MINIMUM};

// Reads a part of a tensor between two operations.
const char *const kReadPart = R"(
#include <poplar/Vertex.hpp>

class ReadPart : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<float> out;
  bool compute() {
    float sum = 0;
    for (unsigned i = 0; i < in.size(); ++i)
      sum = sum * 0.75f + in[i];
    *out = sum;
    return true;
  }
};
)";

inline Device makeDevice() {
  IPUModel model;
  model.tilesPerIPU = 8;
  return model.createDevice();
}

class RandomProgram {
public:
  // `copies`: operations work on copies of their operands.
  RandomProgram(unsigned seed, bool copies)
      : device_(makeDevice()), graph_(device_.getTarget()),
        views_(graph_, seed), copies_(copies), seed_(seed) {
    std::stringstream codelets(kReadPart);
    graph_.addCodelets(codelets);
    for (const Type &type :
         {FLOAT, FLOAT, FLOAT, HALF, HALF, INT, INT, UNSIGNED_INT}) {
      variables_.push_back(views_.addVariable(type, views_.shape(3)));
      views_.add(variables_.back());
    }
    const std::size_t count = 3 + views_.below(8);
    for (std::size_t i = 0; i < count; ++i) {
      Sequence part;
      addOperation(part);
      if (views_.oneIn(4))
        addOperation(part);
      const auto times = static_cast<unsigned>(1 + views_.below(2));
      if (views_.oneIn(2))
        prog_.add(part);
      else
        prog_.add(program::Repeat(times, part));
    }
    for (const Tensor &variable : variables_)
      watch(variable);
  }

  // The values that the host reads after two runs, with NaNs made equal.
  std::vector<double> run() {
    const std::size_t written = variables_.size();
    for (std::size_t i = 0; i < written; ++i)
      graph_.createHostWrite("write" + std::to_string(i), variables_[i]);
    Engine engine(graph_, prog_);
    engine.load(device_);
    for (std::size_t i = 0; i < written; ++i)
      writeRandom(engine, "write" + std::to_string(i), variables_[i],
                  graph_.getTarget(), seed_);
    engine.run();
    engine.run();
    std::vector<double> values;
    for (std::size_t i = 0; i < watched_.size(); ++i)
      readInto(values, engine, "read" + std::to_string(i), watched_[i],
               graph_.getTarget());
    return values;
  }

private:
  Type floatingPoint() { return views_.oneIn(3) ? HALF : FLOAT; }
  Type number() { return views_.oneIn(4) ? INT : floatingPoint(); }

  Tensor input(const Tensor &view, Sequence &prog) {
    if (!copies_)
      return view;
    const Tensor copy = views_.addVariable(view.elementType(), view.shape());
    prog.add(Copy(view, copy));
    return copy;
  }
  Tensor input(const Type &type, const Shape &shape, Sequence &prog) {
    return input(views_.view(type, shape), prog);
  }
  // An input that may share elements with the target.
  Tensor input(const Tensor &target, const Shape &shape, Sequence &prog) {
    return views_.oneIn(3) ? input(views_.viewOf(target, shape), prog)
                           : input(target.elementType(), shape, prog);
  }
  // Lets `change` write to the target, or to a copy that is then copied back.
  template <class F>
  void update(const Tensor &target, Sequence &prog, F &&change) {
    if (!copies_)
      return change(target);
    const Tensor copy = input(target, prog);
    change(copy);
    prog.add(Copy(copy, target));
  }
  void watch(const Tensor &t) {
    graph_.createHostRead("read" + std::to_string(watched_.size()), t);
    watched_.push_back(t);
  }
  void keep(const Tensor &result) {
    views_.add(result);
    if (views_.oneIn(2))
      watch(result);
  }

  void addOperation(Sequence &prog) {
    switch (views_.below(10)) {
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

  // Vertices that each read a part of the batch's items, or of all of them, in
  // the order they have in memory or another.
  void addVertices(const Tensor &batch, Sequence &prog) {
    if (batch.elementType() != FLOAT || !views_.oneIn(2))
      return;
    const Tensor flat = views_.oneIn(4)
                            ? batch.flatten()
                            : batch.dimShuffle({0, 2, 3, 1}).flatten();
    const std::size_t item = flat.numElements() / batch.dim(0);
    const std::size_t parts = 1 + views_.below(3);
    const std::size_t size = views_.oneIn(4) ? 1 + views_.below(2 * item)
                                             : (item + parts - 1) / parts;
    std::vector<Interval> intervals;
    const bool crosses = views_.oneIn(4);
    for (std::size_t at = 0; at < flat.numElements();) {
      const std::size_t end = std::min(
          at + size, crosses ? flat.numElements() : (at / item + 1) * item);
      intervals.emplace_back(at, end);
      at = end;
    }
    if (views_.oneIn(4))
      std::reverse(intervals.begin(), intervals.end());
    const Tensor out = views_.addVariable(FLOAT, {intervals.size()});
    const ComputeSet set = graph_.addComputeSet();
    for (std::size_t i = 0; i < intervals.size(); ++i)
      graph_.setTileMapping(
          graph_.addVertex(set, "ReadPart",
                           {{"in", flat.slice(intervals[i])}, {"out", out[i]}}),
          0);
    prog.add(program::Execute(set));
    watch(out);
  }

  void addExpression(Sequence &prog) {
    const Type type = number();
    const Shape shape = views_.shape(3);
    const Tensor a = input(type, shape, prog),
                 b = input(type, views_.broadcastableTo(shape), prog),
                 c = input(type, views_.broadcastableTo(shape), prog);
    const Any forms[] = {Any(_1 + _2 * _3), Any(_1 - _2 * Const(2)),
                         Any(Max(_1, Const(0)) - _3),
                         Any(Select(_1, Const(0), _1 + _2 > Const(0)))};
    keep(popops::map(graph_, forms[views_.below(4)], {a, b, c}, prog));
  }

  void addInPlace(Sequence &prog) {
    const Shape shape = views_.shape(3);
    const Tensor target = views_.target(number(), shape);
    const Tensor other = input(target, views_.broadcastableTo(shape), prog);
    const BinaryOpType op = kBinaryOps[views_.below(5)];
    update(target, prog, [&](const Tensor &t) {
      popops::mapInPlace(graph_, op, t, other, prog);
    });
  }

  void addScaledAdd(Sequence &prog) {
    const Shape shape = views_.shape(3);
    const Tensor target = views_.target(floatingPoint(), shape);
    const Tensor other = input(target, shape, prog);
    const Tensor scale = input(target.elementType(), {}, prog);
    const bool isConstant = views_.oneIn(2);
    update(target, prog, [&](const Tensor &t) {
      if (isConstant)
        popops::scaledAddTo(graph_, t, other, 0.3f, prog);
      else
        popops::scaledSubtractFrom(graph_, t, other, scale, prog);
    });
  }

  // Sums of floats may depend on the layout.
  void addReduction(Sequence &prog) {
    const Type type = number();
    const Shape shape = views_.shape(3);
    Shape dims, kept;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (views_.oneIn(2))
        dims.push_back(d);
      else
        kept.push_back(shape[d]);
    const popops::Operation op =
        type == INT ? popops::Operation::ADD : popops::Operation::MAX;
    const Tensor target = views_.target(type, kept);
    const Tensor in = input(target, shape, prog);
    if (views_.oneIn(2))
      keep(popops::reduce(graph_, in, dims, op, prog));
    else
      update(target, prog, [&](const Tensor &t) {
        popops::reduceWithOutput(graph_, in, t, dims, op, prog);
      });
  }

  void addProduct(Sequence &prog) {
    const Type type = floatingPoint();
    const std::size_t m = 1 + views_.below(60), k = 1 + views_.below(30),
                      n = 1 + views_.below(80);
    const Tensor target = views_.target(type, {m, n});
    const Tensor a = input(target, {m, k}, prog);
    const Tensor b = input(target, {k, n}, prog);
    if (views_.oneIn(4))
      return update(target, prog, [&](const Tensor &t) {
        poplin::matMulAcc(graph_, t, 0.5f, a, b, prog);
      });
    const Tensor gradient = poplin::matMul(graph_, a, b, prog);
    const Tensor scale = views_.oneIn(4) ? gradient.flatten().slice(0, 1)
                                         : input(type, {}, prog);
    update(target, prog, [&](const Tensor &t) {
      popops::mapInPlace(graph_, _1 - _2 * _3, {t, gradient, scale}, prog);
    });
    if (views_.oneIn(4))
      keep(gradient);
  }

  void addConvolution(Sequence &prog) {
    const Type type = floatingPoint();
    const std::size_t batch = 1 + views_.below(12);
    // Small ones, and some that are made by Winograd's method.
    const bool isLarge = views_.oneIn(3);
    const std::size_t least = isLarge ? 16 : 1;
    const Shape field = isLarge ? Shape{7, 7} : Shape{6, 5};
    const std::size_t in = least + views_.below(4),
                      out = least + views_.below(4);
    const Shape kernel{3, isLarge ? 3u : 2u};
    poplin::ConvParams params(type, batch, field, kernel, in, out, 1);
    params.inputTransform.paddingLower[0] = views_.oneIn(2);
    params.outputTransform.stride[1] = 1 + (!isLarge && views_.oneIn(2));
    const Tensor x = input(type, {batch, in, field[0], field[1]}, prog);
    const Tensor w = input(type, {1, out, in, kernel[0], kernel[1]}, prog);
    const Tensor y = poplin::convolution(graph_, x, w, params, false, prog);
    addVertices(y, prog);
    if (views_.oneIn(2))
      poplin::addBias(graph_, y, input(type, {out}, prog), prog);
    addVertices(y, prog);
    if (views_.oneIn(2))
      popnn::nonLinearityInPlace(graph_, popnn::NonLinearityType::RELU, y,
                                 prog);
    addVertices(y, prog);
    if (views_.oneIn(2))
      addPooling(y, prog);
    if (views_.oneIn(2))
      keep(y);
  }

  // Max pooling that may leave out lines, and its gradient, which may be gated
  // and far from it.
  void addPooling(const Tensor &y, Sequence &prog) {
    const unsigned step = 1 + views_.oneIn(2);
    const popnn::pooling::PoolParams params(
        popnn::PoolingType::MAX, {y.dim(2), y.dim(3)}, {2, 2}, {2, step},
        {0, 0}, {0, 0}, y.dim(1), y.dim(0), y.elementType());
    const Tensor pooled = popnn::pooling::pool(graph_, params, y, prog);
    addVertices(pooled, prog);
    keep(pooled);
    if (views_.oneIn(2))
      return;
    const Tensor view = views_.view(y.elementType(), pooled.shape());
    if (views_.oneIn(2))
      addNonLinearity(prog);
    // A copy is made after that, which may change what is viewed.
    const Tensor gradient = input(view, prog);
    const Tensor spread = popnn::pooling::poolInputGradient(
        graph_, params, y, pooled, gradient, views_.oneIn(2), prog);
    addVertices(spread, prog);
    keep(views_.oneIn(2)
             ? popnn::nonLinearityInputGradient(
                   graph_, popnn::NonLinearityType::RELU, y, spread, prog)
             : spread);
  }

  void addNonLinearity(Sequence &prog) {
    const popnn::NonLinearityType type = kNonLinearities[views_.below(4)];
    const Shape shape = views_.shape(3);
    const Tensor target = views_.target(floatingPoint(), shape);
    if (views_.oneIn(2))
      return update(target, prog, [&](const Tensor &t) {
        popnn::nonLinearityInPlace(graph_, type, t, prog);
      });
    const Tensor act = input(target, shape, prog);
    const Tensor gradient = input(target, shape, prog);
    keep(popnn::nonLinearityInputGradient(graph_, type, act, gradient, prog));
  }

  void addSlice(Sequence &prog) {
    const OptionFlags options{{"remapOutOfBoundIndices", "true"}};
    const Shape shape = views_.shape(3);
    const std::size_t dim = views_.below(shape.size());
    Shape part = shape;
    part[dim] = 1 + views_.below(shape[dim]);
    const Tensor target = views_.target(number(), shape);
    const Tensor offset = input(UNSIGNED_INT, {1}, prog);
    if (views_.oneIn(2))
      keep(popops::dynamicSlice(graph_, input(target, shape, prog), offset,
                                {dim}, {part[dim]}, prog, {}, options));
    const Tensor slice = input(target, part, prog);
    update(target, prog, [&](const Tensor &t) {
      popops::dynamicUpdate(graph_, t, slice, offset, {dim}, {part[dim]}, prog,
                            {}, options);
    });
  }

  void addCast(Sequence &prog) {
    const Shape shape = views_.shape(3);
    if (views_.oneIn(2))
      keep(popops::cast(graph_, input(number(), shape, prog), FLOAT, prog));
    const Tensor target = views_.target(number(), shape);
    prog.add(Copy(input(target, shape, prog), target));
  }

  Device device_;
  Graph graph_;
  RandomViews views_;
  bool copies_;
  unsigned seed_;
  Sequence prog_;
  std::vector<Tensor> variables_; // written by the host
  std::vector<Tensor> watched_;
};

} // namespace poplibstest
