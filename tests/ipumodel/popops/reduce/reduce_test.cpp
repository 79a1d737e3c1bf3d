#include "tests/ipumodel/operator_model.hpp"

#include <popops/Cast.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

using namespace poplar;
using namespace poplibstest;
using popops::Operation;

namespace {

// Sums of up to 37,000 multiples of 1/16 in another order, and logarithms.
constexpr Tolerance kFloat{1e-4, 1e-5};

Operation operationOf(const ReferenceCase &c) {
  Operation op;
  std::istringstream(c.text("name")) >> op;
  return op;
}

Tensor output(OperatorModel &m, const Type &type,
              const std::vector<std::size_t> &shape) {
  const Tensor t = m.graph.addVariable(type, shape);
  poputil::mapTensorLinearly(m.graph, t);
  return t;
}

} // namespace

TEST(Reduce, MatchesPyTorchOverAnyDimensionsInAnyLayout) {
  for (const ReferenceCase &c : references("reduce")) {
    OperatorModel m;
    const Tensor x = m.input(FLOAT, c.array("x"), c.list<unsigned>("order"));
    m.expect(popops::reduce(m.graph, x, c.list<std::size_t>("dims"),
                            operationOf(c), m.prog),
             c.array("y"), kFloat, c.text("name"));
    m.run();
    if (testing::Test::HasFailure())
      return;
  }
}

// As the groups of images that are stored channels last, whose dimension is two
// in memory, with the reduced one between them; more than a task has.
TEST(Reduce, IsTheSameBetweenKeptDimensionsAsOfACopy) {
  constexpr std::size_t kOuter = 3, kLength = 2500, kInner = 20;
  for (const Type &type : {FLOAT, HALF, INT}) {
    ReferenceArray stored{{kOuter, kLength, kInner}, {}, {}, {}};
    ReferenceArray sums{{kOuter * kInner}, {}, {}, {}};
    std::vector<int> values, totals(kOuter * kInner);
    for (std::size_t i = 0; i < kOuter * kLength * kInner; ++i) {
      values.push_back(static_cast<int>(i % 7) - 2);
      totals[i / (kLength * kInner) * kInner + i % kInner] += values.back();
    }
    if (type == INT)
      stored.ints = values;
    else
      stored.floats.assign(values.begin(), values.end());
    sums.floats.assign(totals.begin(), totals.end());
    OperatorModel m;
    const Tensor x = m.input(type, stored).dimRoll(2, 1).flatten(0, 2);
    const Tensor copy = m.graph.addVariable(type, x.shape());
    poputil::mapTensorLinearly(m.graph, copy);
    m.prog.add(program::Copy(x, copy));
    const Type out = type == INT ? INT : FLOAT;
    for (const Tensor &from : {x, copy}) {
      const Tensor sum =
          popops::reduce(m.graph, from, out, {1}, Operation::ADD, m.prog);
      m.expect(popops::cast(m.graph, sum, FLOAT, m.prog), sums, {0, 0},
               type.toString().cloneAsString());
    }
    m.run();
  }
}

TEST(Reduce, HalfIsSummedInFloat) {
  OperatorModel m;
  ReferenceArray x{{4096}, std::vector<float>(4096, 0.0625f), {}, {}};
  ReferenceArray y{{}, {256}, {}, {}};
  m.expect(
      popops::reduce(m.graph, m.input(HALF, x), {0}, Operation::ADD, m.prog), y,
      {0, 0}, "sum");
  m.run();
}

TEST(Reduce, ScaleAndUpdateApplyToTheNewPart) {
  OperatorModel m;
  ReferenceArray x{{2, 3}, {1, 2, 3, 4, 5, 6}, {}, {}};
  ReferenceArray before{{3}, {100, 200, 300}, {}, {}};
  ReferenceArray after{{3}, {102.5f, 203.5f, 304.5f}, {}, {}};
  const Tensor out = m.input(FLOAT, before);
  const Tensor scale = m.graph.addConstant(FLOAT, {}, 0.5f);
  m.graph.setTileMapping(scale, 0);
  popops::reduceWithOutput(m.graph, m.input(FLOAT, x), out, {0},
                           {Operation::ADD, true, scale}, m.prog);
  m.expect(out, after, {0, 0}, "updated");
  m.run();
}

TEST(Reduce, ComputeSetsDoTheSameWhenExecuted) {
  OperatorModel m;
  ReferenceArray x{{2, 3}, {1, 2, 3, 4, 5, 6}, {}, {}};
  ReferenceArray sums{{2}, {6, 15}, {}, {}};
  std::vector<ComputeSet> sets;
  const Tensor y =
      popops::reduce(m.graph, m.input(FLOAT, x), {1}, Operation::ADD, sets);
  for (const ComputeSet &set : sets)
    m.prog.add(program::Execute(set));
  m.expect(y, sums, {0, 0}, "sums");
  m.run();
}

TEST(Reduce, OverNoDimensionsKeepsEveryElement) {
  OperatorModel m;
  ReferenceArray x{{40, 3}, {}, {}, {}}, squares{{40, 3}, {}, {}, {}};
  for (int i = 0; i < 120; ++i) {
    x.floats.push_back(float(i));
    squares.floats.push_back(float(i * i));
  }
  const Tensor in = m.input(FLOAT, x);
  for (const Operation op :
       {Operation::ADD, Operation::MUL, Operation::MIN, Operation::MAX})
    m.expect(popops::reduce(m.graph, in, {}, op, m.prog), x, {0, 0}, "same");
  m.expect(popops::reduce(m.graph, in, {}, Operation::SQUARE_ADD, m.prog),
           squares, {0, 0}, "squares");
  m.run();
}

TEST(Reduce, EmptyReductionsGiveTheIdentity) {
  OperatorModel m;
  ReferenceArray zeros{{2}, {0, 0}, {}, {}}, ones{{2}, {1, 1}, {}, {}};
  const Tensor empty = output(m, FLOAT, {0, 2});
  m.expect(popops::reduce(m.graph, empty, {0}, Operation::ADD, m.prog), zeros,
           {0, 0}, "sum of nothing");
  m.expect(popops::reduce(m.graph, empty, {0}, Operation::MUL, m.prog), ones,
           {0, 0}, "product of nothing");
  m.run();
}

TEST(Reduce, SumsOfUnsignedIntsAreRefusedAsInPopLibs) {
  OperatorModel m;
  const Tensor x = output(m, UNSIGNED_INT, {4});
  EXPECT_THROW(popops::reduce(m.graph, x, {0}, Operation::ADD, m.prog),
               poputil::poplibs_error);
  const Tensor f = output(m, FLOAT, {4});
  EXPECT_THROW(popops::reduce(m.graph, f, {1}, Operation::ADD, m.prog),
               poputil::poplibs_error);
  EXPECT_THROW(popops::reduce(m.graph, f, {0}, {Operation::ADD, true}, m.prog),
               poputil::poplibs_error);
}
