#include "tests/ipumodel/popnn/recurrent/recurrent_case.hpp"

#include <popnn/Recurrent.hpp>
#include <popnn/Rnn.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplibstest;
using poputil::poplibs_error;
namespace rnn = popnn::rnn;

namespace {

// As for LSTMs.
constexpr Tolerance kFloat{2e-5, 2e-5};
constexpr Tolerance kHalf{0x1p-6, 0x1p-6};
constexpr Tolerance kHalfSum{0x1p-4, 0x1p-5};

struct Layer {
  explicit Layer(OperatorModel &m, const ReferenceCase &c, const Type &type)
      : activation(activationOf(c.text("activation"))) {
    const std::vector<std::size_t> shape = c.array("x").shape;
    steps = unsigned(shape[0]);
    batch = unsigned(shape[1]);
    const auto inputs = unsigned(shape[2]);
    size = unsigned(c.array("h0").shape[1]);
    x = rnn::createInput(m.graph, steps, batch, inputs, size, type);
    h0 = rnn::createFwdState(m.graph, type, batch, size, m.prog, false, false);
    w = rnn::createWeightsInput(m.graph, steps, batch, inputs, size, type);
    u = rnn::createWeightsFeedback(m.graph, batch, size, type);
    b = m.input(type, c.array("b"));
    g = m.input(type, c.array("g"));
    m.feed(x, c.array("x"));
    m.feed(h0, c.array("h0"));
    m.feed(w, c.array("w"));
    m.feed(u, c.array("u"));
  }
  popnn::NonLinearityType activation;
  unsigned steps, batch, size;
  Tensor x, h0, w, u, b, g;
};

struct Results {
  Tensor y, dx, dw, du, db;
};

// By the functions for whole sequences.
Results addSequence(OperatorModel &m, const Layer &l) {
  Results r;
  r.y = rnn::rnnFwdSequence(m.graph, m.prog, l.h0, nullptr, l.b, l.w, l.u, l.x,
                            l.activation, FLOAT, false);
  std::tie(r.dx, r.dw, r.du, r.db) = rnn::rnnBwdSequence(
      m.graph, true, false, m.prog, l.h0, r.y, l.b, l.w, l.u,
      l.g.dimShuffle({1, 0, 2}), l.x, l.activation, FLOAT);
  return r;
}

// By those for single steps.
Results addSteps(OperatorModel &m, const Layer &l) {
  Results r;
  const Tensor weighted = rnn::forwardWeightInput(m.graph, l.x, l.w, m.prog);
  r.y = rnn::forwardIterate(m.graph, weighted, l.h0, l.u, l.b, m.prog,
                            l.activation);
  r.dw = m.graph.clone(l.w);
  r.du = m.graph.clone(l.u);
  r.db = m.graph.clone(l.b);
  for (const Tensor &t : {r.dw, r.du, r.db})
    popops::zero(m.graph, t, m.prog);
  Tensor state =
      rnn::createBwdState(m.graph, l.x.elementType(), l.batch, l.size, m.prog);
  std::vector<Tensor> inputGrads(l.steps);
  for (unsigned step = l.steps; step-- > 0;) {
    std::tie(inputGrads[step], state) = rnn::backwardGradientStep(
        m.graph, l.g[step], state, r.y[step], l.w, l.u, m.prog, l.activation);
    inputGrads[step] = inputGrads[step].expand({0});
    rnn::paramDeltaUpdate(m.graph, state, l.x[step],
                          step == 0 ? l.h0 : r.y[step - 1], r.dw, r.du, r.db,
                          m.prog);
  }
  r.dx = concat(inputGrads);
  return r;
}

void compareWithPyTorch(Results (*add)(OperatorModel &, const Layer &),
                        const Type &type, Tolerance tolerance,
                        Tolerance ofSums) {
  const std::vector<ReferenceCase> cases = references("rnn");
  EXPECT_EQ(cases.size(), 16u);
  for (const ReferenceCase &c : cases) {
    OperatorModel m;
    const Results r = add(m, Layer(m, c, type));
    m.expect(r.y, c.array("y"), tolerance, "y");
    m.expect(r.dx, c.array("dx"), tolerance, "dx");
    m.expect(r.dw, c.array("dw"), ofSums, "dw");
    m.expect(r.du, c.array("du"), ofSums, "du");
    m.expect(r.db, c.array("db"), ofSums, "db");
    m.run();
    if (testing::Test::HasFailure())
      return;
  }
}

} // namespace

TEST(Rnn, SequencesMatchPyTorch) {
  compareWithPyTorch(addSequence, FLOAT, kFloat, kFloat);
}

TEST(Rnn, SequencesMatchPyTorchInHalf) {
  compareWithPyTorch(addSequence, HALF, kHalf, kHalfSum);
}

TEST(Rnn, StepsMatchPyTorch) {
  compareWithPyTorch(addSteps, FLOAT, kFloat, kFloat);
}

TEST(Rnn, GradientsThatAreNotWantedAreLeftOut) {
  const std::vector<ReferenceCase> cases = references("rnn");
  OperatorModel m;
  const Layer l(m, cases[0], FLOAT);
  const Tensor y = rnn::rnnFwdSequence(m.graph, m.prog, l.h0, nullptr, l.b, l.w,
                                       l.u, l.x, l.activation, FLOAT, true);
  const auto [dx, dw, du, db] =
      rnn::rnnBwdSequence(m.graph, false, true, m.prog, l.h0, y, l.b, l.w, l.u,
                          l.g.dimShuffle({1, 0, 2}), l.x, l.activation, FLOAT);
  EXPECT_FALSE(dw.valid() || du.valid() || db.valid());
  const ReferenceArray none{
      l.x.shape(), std::vector<float>(l.x.numElements(), 0.0f), {}, {}};
  m.expect(dx, none, {0, 0}, "dx");
  m.run();
}

TEST(Rnn, WrongArgumentsAreNamed) {
  const std::vector<ReferenceCase> cases = references("rnn");
  OperatorModel m;
  const Layer l(m, cases[0], FLOAT);
  try {
    rnn::forwardIterate(m.graph, l.g, l.h0, l.w, l.b, m.prog, l.activation);
    FAIL();
  } catch (const poplibs_error &error) {
    EXPECT_EQ(std::string(error.what()).find("forwardIterate: feedbackWeights"),
              0u)
        << error.what();
  }
  EXPECT_THROW(rnn::forwardWeightInput(m.graph, l.w, l.w, m.prog),
               poplibs_error);
  EXPECT_THROW(rnn::rnnBwdSequence(m.graph, true, false, m.prog, l.h0, l.x, l.b,
                                   l.w, l.u, l.g, l.x, l.activation, FLOAT),
               poplibs_error);
}

TEST(Rnn, FlopsCountProductsAndSums) {
  EXPECT_EQ(rnn::getFwdFlops(3, 2, 5, 7), 966u);
  EXPECT_EQ(rnn::getFwdFlops(3, 2, 5, 7, false), 588u);
  EXPECT_EQ(rnn::getBwdFlops(3, 2, 5, 7), 924u);
  EXPECT_EQ(rnn::getBwdFlops(3, 2, 5, 7, false), 546u);
  EXPECT_EQ(rnn::getWuFlops(3, 2, 5, 7), 1050u);
}

TEST(RnnTensors, AreSequencesWithAllStepsMappedAlike) {
  OperatorModel m;
  const rnn::RnnParams params(HALF, 4, 5, {32, 48});
  const Tensor in = rnn::createInputTensor(m.graph, params, 2);
  const Tensor out = rnn::createOutputTensor(m.graph, params, 3, 1);
  using Shape = std::vector<std::size_t>;
  EXPECT_EQ(in.shape(), (Shape{5, 4, 32}));
  EXPECT_EQ(out.shape(), (Shape{15, 4, 48}));
  EXPECT_EQ(rnn::createInitialState(m.graph, params, true, 2, 3).shape(),
            (Shape{6, 4, 48}));
  EXPECT_EQ(rnn::createRecurrentTensor(m.graph, params, 7, 1).shape(),
            (Shape{5, 4, 7}));
  EXPECT_EQ(m.graph.getTileMapping(in[0]), m.graph.getTileMapping(in[4]));
  // 12 grains of 16 elements on 16 tiles.
  EXPECT_EQ(params.getOutputBytesPerTile(m.graph), 32u);
  EXPECT_EQ(params.getInputBytesPerTile(m.graph), 32u);
  EXPECT_EQ(params.getMaxShards(m.graph), 1u);
  EXPECT_FALSE(params.variableTimeSteps());
}

TEST(RnnTensors, AreShiftedByOneStep) {
  OperatorModel m;
  const rnn::RnnParams params(FLOAT, 1, 3, {1, 2});
  const ReferenceArray base{{3, 1, 2}, {1, 2, 3, 4, 5, 6}, {}, {}};
  const ReferenceArray single{{1, 2}, {8, 9}, {}, {}};
  const ReferenceArray shifted{{3, 1, 2}, {8, 9, 1, 2, 3, 4}, {}, {}};
  m.expect(rnn::shiftRnnTensor(m.graph, params, m.input(FLOAT, base),
                               m.input(FLOAT, single), m.prog, 1),
           shifted, {0, 0}, "shifted");
  m.run();
  EXPECT_THROW(rnn::shiftRnnTensor(m.graph, params, m.input(FLOAT, single),
                                   m.input(FLOAT, single), m.prog, 1),
               poplibs_error);
}
