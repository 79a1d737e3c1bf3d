#include "model.hpp"

#include <gmock/gmock.h>
#include <thread>

using namespace poplar;
using namespace poplar::program;
using enginetest::Model;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const char *const kCounter = R"(
#include <poplar/Vertex.hpp>
class Increment : public poplar::Vertex {
public:
  poplar::InOut<int> value;
  int step;
  bool compute() { *value += step; return true; }
};
class Below : public poplar::Vertex {
public:
  poplar::Input<int> value;
  poplar::Output<bool> below;
  int limit;
  bool compute() { *below = *value < limit; return true; }
};
class Positive : public poplar::Vertex {
public:
  poplar::Input<int> value;
  bool compute() { return *value > 0; }
};
)";

struct Counter : Model {
  Counter() {
    addCodelets(kCounter);
    value = add(INT, {}, "value");
    flag = add(BOOL, {}, "flag");
  }
  Program increment(int step = 1) {
    const ComputeSet cs = graph.addComputeSet("increment");
    const VertexRef v = graph.addVertex(cs, "Increment", {{"value", value}});
    graph.setInitialValue(v["step"], step);
    graph.setTileMapping(v, 0);
    return Execute(cs);
  }
  Program compare(int limit) {
    const ComputeSet cs = graph.addComputeSet("compare");
    const VertexRef v =
        graph.addVertex(cs, "Below", {{"value", value}, {"below", flag}});
    graph.setInitialValue(v["limit"], limit);
    graph.setTileMapping(v, 0);
    return Execute(cs);
  }
  int result() { return read<int>("value", 1)[0]; }

  Tensor value, flag;
};

} // namespace

TEST(ControlFlow, RepeatRunsItsBodyThatOften) {
  Counter c;
  c.load({Repeat(5, c.increment()), Repeat(0, c.increment())});
  c.engine->run(0);
  EXPECT_EQ(c.result(), 5);
  c.engine->run(1);
  EXPECT_EQ(c.result(), 5);
}

TEST(ControlFlow, RepeatWhileTrueTestsBeforeEachBody) {
  Counter c;
  c.load(RepeatWhileTrue(c.compare(7), c.flag, c.increment()));
  c.engine->run();
  EXPECT_EQ(c.result(), 7);
  c.engine->run();
  EXPECT_EQ(c.result(), 7);
}

TEST(ControlFlow, RepeatWhileFalseIsTheMirror) {
  Counter c;
  c.load(RepeatWhileFalse(c.compare(0), c.flag, c.increment(-1)));
  c.write("value", std::vector<int>{3});
  c.engine->run();
  EXPECT_EQ(c.result(), -1);
}

TEST(ControlFlow, IfTakesOneSide) {
  Counter c;
  c.load(
      Sequence({c.compare(10), If(c.flag, c.increment(1), c.increment(100))}));
  c.engine->run();
  EXPECT_EQ(c.result(), 1);
  c.write("value", std::vector<int>{10});
  c.engine->run();
  EXPECT_EQ(c.result(), 110);
}

TEST(ControlFlow, SwitchRunsTheMatchingCaseOrTheDefault) {
  Counter c;
  const Tensor control = c.add(INT, {}, "control");
  c.load(Switch(control, {{-2, c.increment(1)}, {5, c.increment(10)}},
                c.increment(100)));
  const auto run = [&](int value) {
    c.write("control", std::vector<int>{value});
    c.write("value", std::vector<int>{0});
    c.engine->run();
    return c.result();
  };
  EXPECT_EQ(run(-2), 1);
  EXPECT_EQ(run(5), 10);
  EXPECT_EQ(run(6), 100);
}

TEST(ControlFlow, SwitchWithBoundsCheckingFailsWithoutACase) {
  Counter c;
  const Tensor control = c.add(INT, {}, "control");
  c.load(Switch::switchWithBoundsChecking(control, {{1, c.increment()}}));
  EXPECT_THROW(c.engine->run(), poplar::runtime_error);
  c.write("control", std::vector<int>{1});
  c.engine->run();
  EXPECT_EQ(c.result(), 1);
}

TEST(ControlFlow, CallRunsTheFunctionOnTheSameVariables) {
  Counter c;
  const Function twice = c.graph.addFunction(Repeat(2, c.increment()));
  const Function four =
      c.graph.addFunction(Sequence({Call(twice), Call(twice)}));
  c.load(Sequence({Call(four), Call(twice)}));
  c.engine->run();
  EXPECT_EQ(c.result(), 6);
}

TEST(ControlFlow, ASequenceStoresWhatWasAddedAtThatMoment) {
  Counter c;
  Sequence inner({c.increment()});
  Sequence outer;
  outer.add(inner);
  inner.add(c.increment(100));
  c.load(outer);
  c.engine->run();
  EXPECT_EQ(c.result(), 1);
}

TEST(ControlFlow, LoopEndsWhenTheEngineIsStopped) {
  Counter c;
  const DataStream out = c.graph.addDeviceToHostFIFO("out", INT, 1);
  Engine &engine =
      c.load(Loop(Sequence({c.increment(), Copy(c.value.reshape({1}), out)})));
  engine.connectStreamToCallback("out", [&](void *p) {
    if (*static_cast<int *>(p) == 20)
      engine.stop();
  });
  engine.run();
  EXPECT_EQ(c.result(), 20);
}

TEST(ControlFlow, ExitStatusIsTheAndOverAllVertices) {
  Counter c;
  const Tensor values = c.add(INT, {3}, "values");
  const Tensor status = c.add(BOOL, {}, "status");
  const ComputeSet cs = c.graph.addComputeSet("positive");
  for (std::size_t i = 0; i < 3; ++i)
    c.graph.setTileMapping(
        c.graph.addVertex(cs, "Positive", {{"value", values[i]}}), 0);
  c.load(Execute(cs, status));
  c.write("values", std::vector<int>{1, 2, 3});
  c.engine->run();
  EXPECT_THAT(c.read<char>("status", 1), ElementsAre(1));
  c.write("values", std::vector<int>{1, 0, 3});
  c.engine->run();
  EXPECT_THAT(c.read<char>("status", 1), ElementsAre(0));
}

TEST(ControlFlow, AbortEndsTheRunWithItsMessage) {
  Counter c;
  const Tensor bad = c.add(BOOL, {}, "bad");
  c.load({Abort("out of luck"),
          Sequence({AbortOnCondition(bad, "bad input"), c.increment()})});
  try {
    c.engine->run(0);
    FAIL() << "Abort returned";
  } catch (const poplar::runtime_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("Abort Program"));
    EXPECT_THAT(e.what(), HasSubstr("out of luck"));
  }
  c.engine->run(1);
  EXPECT_EQ(c.result(), 1);
  c.write("bad", std::vector<char>{1});
  EXPECT_THROW(c.engine->run(1), application_runtime_error);
  EXPECT_EQ(c.result(), 1);
}

TEST(ControlFlow, ErrorProgramShowsItsTensor) {
  Counter c;
  c.load(ErrorProgram("value went wrong", c.value));
  c.write("value", std::vector<int>{4711});
  try {
    c.engine->run();
    FAIL() << "ErrorProgram returned";
  } catch (const poplar::runtime_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("value went wrong"));
    EXPECT_THAT(e.what(), HasSubstr("4711"));
  }
}
