// Faults of arithmetic in a program written by hand, in all its control flow:
// every time the planted tensor is blamed, with the right cause.
#include "graph/codelets.hpp"
#include "outfeed/tap_session.hpp"

#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/codelets.hpp>

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace popscope::outfeed {
namespace {

using graph::Computation;
using graph::TapMoment;
using graph::TensorKind;
using poplar::program::If;
using poplar::program::Repeat;
using poplar::program::RepeatWhileTrue;
using poplar::program::Sequence;
using poplar::program::Switch;
namespace pe = popops::expr;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr unsigned kIterations = 6, kFaultAt = 3;
constexpr std::size_t kElements = 4;

// y is computed from a, b and what it was before (_2, _3 and _1).
struct Planted {
  const char *name;
  poplar::Type type;
  float a, b, faultA, faultB; // the latter in iteration kFaultAt
  pe::Any formula;
  graph::Derivation derivation;
  CauseKind cause;
  const char *blamed = "y";
  const char *infinitiesIntended = nullptr;
};

std::vector<Planted> plantedFaults() {
  using pe::_1;
  using pe::_2;
  using pe::_3;
  using C = Computation;
  const poplar::Type f = poplar::FLOAT, h = poplar::HALF;
  const std::vector<std::string> ab{"a", "b"}, ya{"y", "a"};
  // clang-format off
  return {
    // name, type, a, b, fault's a and b, y, its derivation, cause
    {"ZeroByZero", f, 1, 1, 0, 0, pe::Divide(_2, _3), {C::quotient, ab}, CauseKind::zeroByZero},
    {"DivisionByZero", f, 1, 1, 1, 0, pe::Divide(_2, _3), {C::quotient, ab}, CauseKind::divisionByZero},
    {"LogOfZero", f, 1, 1, 0, 1, pe::Log(_2), {C::logarithm, {"a"}}, CauseKind::logOfZero},
    {"LogOfANegativeNumber", f, 1, 1, -1, 1, pe::Log(_2), {C::logarithm, {"a"}}, CauseKind::logOfNegative},
    {"InfMinusInf", f, 1, 1, kInf, kInf, pe::Sub(_2, _3), {C::sum, ab}, CauseKind::infMinusInf, "y", "name:a | name:b"},
    {"InfTimesZero", f, 1, 1, kInf, 0, pe::Mul(_2, _3), {C::product, ab}, CauseKind::infTimesZero, "y", "name:a"},
    {"OverflowOfHalfInAProduct", h, 3, 2, 300, 300, pe::Mul(_2, _3), {C::product, ab}, CauseKind::overflow},
    {"OverflowOfHalfInAnAccumulation", h, 12000, 1, 60000, 1, pe::Add(_1, _2), {C::sum, ya}, CauseKind::overflow},
    {"OverflowOfTheOptimizersState", f, 1, 1, 1e25f, 1,
     pe::Add(pe::Mul(_1, pe::Const(0.9f)), pe::Mul(pe::Mul(_2, _2), pe::Const(0.1f))), {C::optimizer, ya},
     CauseKind::overflow},
    {"OverflowOfAnExponential", f, 1, 1, 100, 1, pe::Exp(_2), {C::exponential, {"a"}}, CauseKind::overflow},
    {"NanInTheData", f, 1, 1, kNaN, 1, pe::Mul(_2, _3), {C::product, ab}, CauseKind::inData, "a"},
  };
  // clang-format on
}

enum class Flow { plain, repeat, repeatWhile, branch, choice, replicas };
const char *const kFlowNames[] = {"Plain",  "InARepeat", "InAWhileLoop",
                                  "InAnIf", "InASwitch", "InOneReplica"};

class FaultyProgram {
public:
  FaultyProgram(const Planted &planted, Flow flow)
      : flow_(flow), replicas_(flow == Flow::replicas ? 2 : 1),
        device_(makeDevice(replicas_)),
        graph_(device_.getTarget(), poplar::replication_factor(replicas_)),
        session_({}, options(planted)) {
    popops::addCodelets(graph_);
    graph::addCodelets(graph_);
    build(planted);
  }

  std::optional<Verdict> run(const Planted &planted) {
    poplar::Engine engine(graph_, program_);
    session_.connect(engine);
    engine.load(device_);
    // In one replica only, if there are several.
    std::vector<float> values;
    for (unsigned replica = 0; replica < replicas_; ++replica) {
      const bool isSpoilt = replica + 1 == replicas_;
      for (const float value :
           {planted.a, planted.b, isSpoilt ? planted.faultA : planted.a,
            isSpoilt ? planted.faultB : planted.b})
        values.insert(values.end(), kElements, value);
    }
    engine.writeTensor("sources", values.data(), values.data() + values.size());
    const bool loops = flow_ != Flow::plain && flow_ != Flow::replicas;
    for (unsigned i = 0; i < (loops ? 1 : kIterations); ++i)
      engine.run();
    EXPECT_TRUE(session_.close().isWhole());
    return session_.verdict();
  }

private:
  static poplar::Device makeDevice(unsigned replicas) {
    poplar::IPUModel model;
    model.numIPUs = replicas;
    model.tilesPerIPU = 4;
    return model.createDevice();
  }
  TapOptions options(const Planted &planted) const {
    TapOptions options;
    options.health = true;
    options.replicas = replicas_;
    if (planted.infinitiesIntended)
      options.infinitiesIntended = {
          TensorFilter::parse(planted.infinitiesIntended)};
    return options;
  }

  poplar::Tensor addVariable(const poplar::Type &type,
                             const std::vector<std::size_t> &shape,
                             const char *name) {
    const poplar::Tensor tensor = graph_.addVariable(type, shape, name);
    graph_.setTileMapping(tensor, 0);
    return tensor;
  }

  void visit(Sequence &prog, const char *name, const poplar::Tensor &tensor,
             const graph::Derivation &derivation) {
    graph::TapPoint point{name, TensorKind::activation, TapMoment::microBatch,
                          0, tensor};
    point.derivation = derivation;
    session_.visit(graph_, prog, point);
  }

  void build(const Planted &planted) {
    const poplar::Tensor iteration =
        addVariable(poplar::UNSIGNED_INT, {kElements}, "iteration");
    graph_.setInitialValue<unsigned>(iteration,
                                     std::vector<unsigned>(kElements, 0));
    const poplar::Tensor sources =
        addVariable(poplar::FLOAT, {4, kElements}, "sources");
    graph_.createHostWrite("sources", sources);
    const poplar::Tensor y = addVariable(planted.type, {kElements}, "y");
    graph_.setInitialValue<float>(y, std::vector<float>(kElements, 0.0f));

    Sequence body;
    const auto source = [&](const char *name, unsigned number) {
      const poplar::Tensor chosen = popops::map(
          graph_,
          pe::Cast(pe::Select(pe::_1, pe::_2,
                              pe::Equal(pe::_3, pe::Const(kFaultAt))),
                   planted.type),
          {sources[2 + number], sources[number], iteration}, body);
      visit(body, name, chosen, {Computation::host, {}});
      return chosen;
    };
    const poplar::Tensor a = source("a", 0), b = source("b", 1);

    Sequence computed;
    const bool branches = flow_ == Flow::branch || flow_ == Flow::choice;
    if (branches)
      session_.flushPart(graph_, body, TapMoment::microBatch);
    popops::mapInPlace(graph_, planted.formula, {y, a, b}, computed);
    visit(computed, "y", y, planted.derivation);
    if (branches)
      session_.flushPart(graph_, computed, TapMoment::microBatch);
    addComputed(computed, iteration, body);

    const poplar::Tensor passedOn = popops::neg(graph_, y, body);
    visit(body, "passed_on", passedOn, {Computation::unknown, {"y"}});
    popops::mapInPlace(graph_, pe::_1 + pe::Const(1u), {iteration}, body);
    session_.flush(graph_, body, TapMoment::microBatch);
    addLoop(body, iteration);
  }

  // A branch is not taken in the first iteration.
  void addComputed(const Sequence &computed, const poplar::Tensor &iteration,
                   Sequence &body) {
    if (flow_ == Flow::branch) {
      const poplar::Tensor isLater = popops::map(
          graph_, pe::NotEqual(pe::_1, pe::Const(0u)), {iteration[0]}, body);
      body.add(If(isLater, computed, Sequence()));
    } else if (flow_ == Flow::choice) {
      body.add(Switch(iteration[0], {{0, Sequence()}}, computed));
    } else {
      body.add(computed);
    }
  }

  void addLoop(const Sequence &body, const poplar::Tensor &iteration) {
    if (flow_ == Flow::repeatWhile) {
      Sequence condition;
      const poplar::Tensor goesOn =
          popops::map(graph_, pe::Lt(pe::_1, pe::Const(kIterations)),
                      {iteration[0]}, condition);
      program_.add(RepeatWhileTrue(condition, goesOn, body));
    } else if (flow_ == Flow::plain || flow_ == Flow::replicas) {
      program_.add(body);
    } else {
      program_.add(Repeat(kIterations, body));
    }
  }

  const Flow flow_;
  const unsigned replicas_;
  poplar::Device device_;
  poplar::Graph graph_;
  TapSession session_;
  Sequence program_;
};

class FaultTable
    : public testing::TestWithParam<std::tuple<std::size_t, Flow>> {};

TEST_P(FaultTable, NamesTensorPlaceAndCause) {
  const auto [row, flow] = GetParam();
  const Planted planted = plantedFaults()[row];
  const auto verdict = FaultyProgram(planted, flow).run(planted);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->tensor.name, planted.blamed);
  EXPECT_EQ(verdict->cause.kind, planted.cause) << firstLine(*verdict);
  EXPECT_EQ(verdict->update, Update(kFaultAt)) << firstLine(*verdict);
  EXPECT_EQ(verdict->origin.replica, flow == Flow::replicas ? 1u : 0u);
  EXPECT_EQ(verdict->health.bad(), kElements);
  EXPECT_EQ(verdict->followers.back().name, "passed_on");
}

INSTANTIATE_TEST_SUITE_P(
    , FaultTable,
    testing::Combine(testing::Range<std::size_t>(0, plantedFaults().size()),
                     testing::Values(Flow::plain, Flow::repeat,
                                     Flow::repeatWhile, Flow::branch,
                                     Flow::choice, Flow::replicas)),
    [](const auto &info) {
      return std::string(plantedFaults()[std::get<0>(info.param)].name) +
             kFlowNames[unsigned(std::get<1>(info.param))];
    });

} // namespace
} // namespace popscope::outfeed
