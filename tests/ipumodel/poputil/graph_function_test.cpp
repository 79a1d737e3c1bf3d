#include "small_device.hpp"

#include <poputil/GraphFunction.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>

using namespace poputil::graphfn;
using namespace poplar;
using poplar::program::Copy;
using poplar::program::Program;
using poplar::program::Sequence;
using testing::ElementsAre;

namespace {

using Tensors = std::vector<Tensor>;

// With a shared body, and with an inlined one.
class GraphFunction : public testing::TestWithParam<bool> {
protected:
  Tensor variable(std::vector<std::size_t> shape) {
    const Tensor t = graph.addVariable(INT, shape);
    poputil::mapTensorLinearly(graph, t);
    return t;
  }

  Tensor counting(std::size_t size) {
    const Tensor t = device.counting({size});
    poputil::mapTensorLinearly(graph, t);
    return t;
  }

  SmallDevice device{4};
  Graph &graph = device.graph;
};

TEST_P(GraphFunction, InputsAreReadAndOutputsWritten) {
  const Tensor in = counting(3), out = variable({3});
  VoidFunction reverse(
      graph, {input(in, "in"), output(out, "out")},
      [](Tensors &params, Sequence &prog) {
        prog.add(Copy(params[0].reverse(0), params[1]));
      },
      GetParam());
  Sequence prog;
  Tensors args = {in, out};
  reverse(args, prog);
  EXPECT_THAT(device.valuesAfter(prog, concat(in, out)),
              ElementsAre(0, 1, 2, 2, 1, 0));
}

TEST_P(GraphFunction, EachCallHasItsOwnArguments) {
  const Tensor in = counting(4), out = variable({4});
  VoidFunction swap(
      graph, {input(in.slice(0, 2)), output(out.slice(0, 2))},
      [](Tensors &params, Sequence &prog) {
        prog.add(Copy(params[0].reverse(0), params[1]));
      },
      GetParam());
  Sequence prog;
  for (unsigned half = 0; half < 2; ++half) {
    Tensors args = {in.slice(2 * half, 2 * half + 2),
                    out.slice(2 * half, 2 * half + 2)};
    swap(args, prog);
  }
  EXPECT_THAT(device.valuesAfter(prog, out), ElementsAre(1, 0, 3, 2));
}

TEST_P(GraphFunction, InOutArgumentsAreReadAndWritten) {
  const Tensor t = counting(3);
  ProgramFunction rotate(
      graph, {inout(t)},
      [this](Tensors &params) -> Program {
        const Tensor old = graph.clone(params[0]);
        return Sequence(
            {Copy(params[0], old),
             Copy(concat(old.slice(1, 3), old.slice(0, 1)), params[0])});
      },
      GetParam());
  Tensors args = {t};
  const Program once = rotate(args), twice = rotate(args);
  EXPECT_THAT(device.valuesAfter(Sequence({once, twice}), t),
              ElementsAre(2, 0, 1));
}

TEST_P(GraphFunction, CreatedArgumentsAreNewAtEachCall) {
  const Tensor in = counting(2);
  VoidFunction repeat(
      graph, {input(in), created("twice")},
      [this](Tensors &params, Sequence &prog, const DebugNameAndId &name) {
        params[1] = graph.clone(concat(params[0], params[0]), {name, "twice"});
        prog.add(Copy(concat(params[0], params[0]), params[1]));
      },
      GetParam());
  Sequence prog;
  Tensors first = {in, Tensor()}, second = {in.reverse(0), Tensor()};
  repeat(first, prog);
  repeat(second, prog);
  EXPECT_FALSE(first[1].intersectsWith(second[1]));
  EXPECT_THAT(device.valuesAfter(prog, concat(first[1], second[1])),
              ElementsAre(0, 1, 0, 1, 1, 0, 1, 0));
}

TEST_P(GraphFunction, ATensorFunctionReturnsANewTensorAtEachCall) {
  const Tensor in = counting(3);
  TensorFunction reverse(
      graph, {input(in)},
      [this](Tensors &params, Sequence &prog) {
        const Tensor result = graph.clone(params[0]);
        prog.add(Copy(params[0].reverse(0), result));
        return result;
      },
      GetParam());
  Sequence prog;
  Tensors args = {in};
  const Tensor once = reverse(args, prog);
  EXPECT_EQ(args.size(), 1u);
  Tensors again = {once};
  const Tensor twice = reverse(again, prog);
  EXPECT_THAT(device.valuesAfter(prog, concat(once, twice)),
              ElementsAre(2, 1, 0, 0, 1, 2));
}

TEST_P(GraphFunction, TheBodyIsBuiltOnce) {
  const Tensor in = counting(1);
  unsigned built = 0;
  VoidFunction f(
      graph, {input(in)}, [&](Tensors &, Sequence &) { ++built; }, GetParam());
  Sequence prog;
  Tensors args = {in};
  f(args, prog);
  f(args, prog);
  EXPECT_EQ(built, 1u);
}

TEST_P(GraphFunction, TheWrongNumberOfArgumentsThrows) {
  const Tensor in = counting(1);
  VoidFunction f(
      graph, {input(in)}, [](Tensors &, Sequence &) {}, GetParam());
  Sequence prog;
  Tensors none, two = {in, in};
  EXPECT_THROW(f(none, prog), poputil::poplibs_error);
  EXPECT_THROW(f(two, prog), poputil::poplibs_error);
}

INSTANTIATE_TEST_SUITE_P(Bodies, GraphFunction, testing::Bool(),
                         [](const auto &info) {
                           return info.param ? "Inlined" : "Shared";
                         });

} // namespace
