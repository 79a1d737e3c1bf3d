#include "test_graph.hpp"

#include <poplar/Program.hpp>

#include <chrono>
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::program;

namespace {

TEST(ProgramValue, DefaultConstructedIsEmpty) {
  EXPECT_TRUE(Program().isEmpty());
  EXPECT_TRUE(Sequence().isEmpty());
  EXPECT_TRUE(Sequence(Sequence(), Sequence()).isEmpty());
  EXPECT_FALSE(Execute(ComputeSet(0)).isEmpty());
  EXPECT_FALSE(Sequence({Sequence(), Execute(ComputeSet(0))}).isEmpty());
}

TEST(ProgramValue, AddKeepsTheProgramAsItIsAtThatMoment) {
  Sequence inner;
  inner.add(Execute(ComputeSet(0)));
  Sequence outer;
  outer.add(inner);
  inner.add(Execute(ComputeSet(1)));
  EXPECT_EQ(outer, Sequence({Sequence({Execute(ComputeSet(0))})}));
  EXPECT_EQ(inner, Sequence({Execute(ComputeSet(0)), Execute(ComputeSet(1))}));
}

TEST(ProgramValue, CopiesChangeIndependently) {
  Sequence first({Execute(ComputeSet(0))});
  Sequence second = first;
  second.add(Execute(ComputeSet(1)));
  EXPECT_EQ(first, Sequence({Execute(ComputeSet(0))}));
  first.add(Execute(ComputeSet(2)));
  EXPECT_EQ(second, Sequence({Execute(ComputeSet(0)), Execute(ComputeSet(1))}));
}

TEST(ProgramValue, ASequenceAddedToItselfHoldsItsOldSelf) {
  Sequence sequence({Execute(ComputeSet(0))});
  sequence.add(sequence);
  EXPECT_EQ(sequence, Sequence({Execute(ComputeSet(0)),
                                Sequence({Execute(ComputeSet(0))})}));
}

TEST(ProgramValue, SlicingKeepsEverything) {
  std::vector<Program> programs(3);
  programs[1] = Sequence({Execute(ComputeSet(4))});
  EXPECT_TRUE(programs[0].isEmpty());
  EXPECT_EQ(programs[1], Sequence({Execute(ComputeSet(4))}));
}

TEST(ProgramValue, AMovedFromSequenceIsEmptyAndUsable) {
  Sequence from({Execute(ComputeSet(0))});
  const Sequence to = std::move(from);
  EXPECT_EQ(to, Sequence({Execute(ComputeSet(0))}));
  EXPECT_TRUE(from.isEmpty()); // NOLINT(bugprone-use-after-move): the claim
  from.add(Execute(ComputeSet(1)));
  EXPECT_EQ(from, Sequence({Execute(ComputeSet(1))}));

  Program assigned;
  assigned = std::move(from);
  EXPECT_EQ(assigned, Sequence({Execute(ComputeSet(1))}));
  EXPECT_TRUE(from.isEmpty()); // NOLINT(bugprone-use-after-move)
}

TEST(ProgramValue, EmptyProgramsDoNotShareWhatIsAddedLater) {
  Sequence a, b;
  a.add(Execute(ComputeSet(0)));
  EXPECT_TRUE(b.isEmpty());
  EXPECT_TRUE(Program().isEmpty());
}

TEST(ProgramValue, SwitchCasesAddedToACopyStayThere) {
  TestGraph graph;
  const Tensor control = graph.variable(INT, {}, "control");
  Switch original(control);
  Switch copy = original;
  copy.add(1, Execute(ComputeSet(0))).add(2, Execute(ComputeSet(1)));
  EXPECT_EQ(original, Switch(control));
  EXPECT_EQ(copy, Switch(control, {{1, Execute(ComputeSet(0))},
                                   {2, Execute(ComputeSet(1))}}));
}

TEST(ProgramValue, EqualityIsWhatProgramsDoAndNotWhatTheyAreCalled) {
  TestGraph graph;
  const Tensor a = graph.variable(FLOAT, {4}, "a");
  const Tensor b = graph.variable(FLOAT, {4}, "b");
  EXPECT_EQ(Copy(a, b, false, "one"), Copy(a, b, false, "two"));
  EXPECT_NE(Copy(a, b), Copy(b, a));
  EXPECT_NE(Copy(a, b), Copy(a.slice(0, 2), b.slice(0, 2)));
  EXPECT_NE(Repeat(2, Copy(a, b)), Repeat(3, Copy(a, b)));
  EXPECT_EQ(PrintTensor("t", a), PrintTensor("t", a));
  EXPECT_NE(PrintTensor("t", a), PrintTensor("u", a));
  EXPECT_NE(PrintTensor("t", a), PrintTensor("t", a, PrintTensorFmt(10)));
  EXPECT_NE(Abort("x"), Abort("y"));
}

// A hundred thousand programs would take minutes if each add copied those
// before it.
TEST(ProgramValue, AddingManyProgramsTakesTimeInProportion) {
  const auto timeOf = [](unsigned count) {
    const auto begin = std::chrono::steady_clock::now();
    Sequence sequence;
    for (unsigned i = 0; i < count; ++i)
      sequence.add(Execute(ComputeSet(i)));
    return std::chrono::steady_clock::now() - begin;
  };
  EXPECT_LT(timeOf(100000), std::chrono::seconds(5));
}

} // namespace
