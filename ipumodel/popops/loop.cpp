#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace {

Tensor constantOf(Graph &graph, const Type &type, unsigned value,
                  const DebugContext &context) {
  // A negative INT has the same bits as the unsigned value.
  const Tensor constant =
      graph.addConstant(UNSIGNED_INT, {}, value, context).reinterpret(type);
  graph.setTileMapping(constant, 0);
  return constant;
}

} // namespace

Sequence countedLoop(Graph &graph, std::size_t begin, std::size_t end,
                     size_t step, const CountedLoopBodyType &body,
                     const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(begin, end, step));
  if (step == 0)
    throw poplibs_error("countedLoop: a step of zero never ends");
  if (begin >= end)
    throw poplibs_error("countedLoop: there is no iteration from " +
                        std::to_string(begin) + " to " + std::to_string(end));
  const Tensor counter = graph.addVariable(UNSIGNED_INT, {1}, {di, "counter"});
  graph.setTileMapping(counter, 0);
  const auto constant = [&](std::size_t value, const char *name) {
    return constantOf(graph, UNSIGNED_INT, static_cast<unsigned>(value),
                      {di, name})
        .reshape({1});
  };
  Sequence pass({body(counter)}, {di});
  addInPlace(graph, counter, constant(step, "step"), pass, {di});
  const std::size_t passes = (end - begin + step - 1) / step;
  return Sequence({Copy(constant(begin, "begin"), counter, false, {di}),
                   Repeat(static_cast<unsigned>(passes), pass, {di})},
                  {di});
}

Sequence countedLoop(Graph &graph, std::size_t count,
                     const CountedLoopBodyType &body,
                     const DebugContext &debugContext) {
  return countedLoop(graph, 0, count, 1, body, debugContext);
}

Tensor addForLoopCounterVertex(Graph &graph, const Tensor &count,
                               const Tensor &countLimit, int countStep,
                               unsigned tile, Sequence &prog,
                               const DebugContext &di) {
  const Tensor step = constantOf(graph, count.elementType(),
                                 static_cast<unsigned>(countStep), di);
  const Tensor predicate = graph.addVariable(UNSIGNED_INT, {}, di);
  graph.setTileMapping(predicate, tile);
  addInPlace(graph, count.reshape({}), step, prog, di);
  mapWithOutput(graph, expr::Cast(expr::_1 != expr::_2, UNSIGNED_INT),
                {count.reshape({}), countLimit.reshape({})}, predicate, prog,
                di);
  return predicate;
}

Sequence countedForLoop(Graph &graph, const Tensor &count, int initialCount,
                        const Tensor &countLimit, int countStep,
                        const Program &body, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(count, initialCount, countLimit, countStep));
  const Type type = count.elementType();
  if (type != countLimit.elementType())
    throw poplibs_error("countedForLoop: the count is " + type.toString() +
                        " but its limit " +
                        countLimit.elementType().toString());
  if (type != INT && type != UNSIGNED_INT)
    throw poplibs_error("countedForLoop: the count is INT or UNSIGNED_INT, "
                        "not " +
                        type.toString());
  // The step is added before each iteration, so the count starts one step
  // early.
  const unsigned start =
      static_cast<unsigned>(initialCount) - static_cast<unsigned>(countStep);
  Sequence condition({}, {di});
  const Tensor goOn = addForLoopCounterVertex(graph, count, countLimit,
                                              countStep, 0, condition, {di});
  return Sequence({Copy(constantOf(graph, type, start, {di, "start"}),
                        count.reshape({}), false, {di}),
                   RepeatWhileTrue(condition, goOn, body, {di})},
                  {di});
}

Sequence countedForLoop(Graph &graph, int initialCount,
                        const Tensor &countLimit, int countStep,
                        const Program &body, const DebugContext &debugContext) {
  const Tensor count =
      graph.addVariable(countLimit.elementType(), {}, debugContext);
  graph.setTileMapping(count, 0);
  return countedForLoop(graph, count, initialCount, countLimit, countStep, body,
                        debugContext);
}

} // namespace popops
