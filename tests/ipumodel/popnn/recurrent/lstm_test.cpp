#include "tests/ipumodel/popnn/recurrent/patterned_layer.hpp"
#include "tests/ipumodel/popnn/recurrent/recurrent_case.hpp"

#include <popnn/Lstm.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <deque>

using namespace poplar;
using namespace poplibstest;
using poputil::poplibs_error;
namespace lstm = popnn::lstm;

namespace {

// Sums of up to 30 products below 1 in another order, through six steps.
constexpr Tolerance kFloat{2e-5, 2e-5};
// Six steps that each round to eleven bits what is below 4.
constexpr Tolerance kHalf{0x1p-6, 0x1p-6};
// Sums of 30 products of such numbers.
constexpr Tolerance kHalfSum{0x1p-4, 0x1p-5};

lstm::LstmParams paramsOf(const ReferenceCase &c, const Type &type,
                          const Tensor &lengths) {
  const std::vector<std::size_t> x = c.array("x").shape;
  lstm::LstmParams params(
      type, x[1], x[0], lengths, {x[2], c.array("h0").shape[1]},
      activationOf(c.text("activation")), activationOf(c.text("recurrent")));
  params.outputFullSequence = c.number("full");
  params.preserveFinalState = true;
  return params;
}

struct Layer {
  Tensor y, c;
  Tensor dx;
  lstm::LstmState dstate;
  lstm::LstmWeights dweights;
};

enum class Gradients { together, apart };

// Feeds the case's numbers, with units in the order of the parameters.
class Case {
public:
  Case(const ReferenceCase &c, const Type &type,
       const std::vector<BasicLstmCellUnit> &order =
           lstm::getDefaultBasicLstmCellOrder())
      : params(paramsOf(c, type, lengthsOf(m, c))), case_(c) {
    params.cellOrder = order;
  }

  Layer add(Gradients gradients) {
    const Tensor x = lstm::createInput(m.graph, params, "x");
    const lstm::LstmState state =
        lstm::createInitialState(m.graph, params, "state");
    const lstm::LstmWeights weights =
        lstm::createWeights(m.graph, params, "weights");
    m.feed(x, case_.array("x"));
    m.feed(state.output, case_.array("h0"));
    m.feed(state.cellState, case_.array("c0"));
    m.feed(weights.inputWeights, inOrder("w"));
    m.feed(weights.outputWeights, inOrder("u"));
    m.feed(weights.biases, inOrder("b"));
    const Tensor g = m.input(params.rnn.dataType, case_.array("g"));
    const lstm::LstmState last = {
        m.input(params.rnn.dataType, case_.array("gh")),
        m.input(params.rnn.dataType, case_.array("gc"))};
    const lstm::LstmState *lastGrad =
        params.rnn.variableTimeSteps() ? nullptr : &last;

    Layer layer;
    Tensor kept;
    std::tie(layer.y, layer.c) =
        lstm::lstmFwd(m.graph, params, state, x, weights, &kept, m.prog);
    if (gradients == Gradients::together) {
      layer.dstate =
          lstm::lstmBwdWithWU(m.graph, params, m.prog, state, kept, weights, x,
                              layer.y, g, lastGrad, &layer.dx, layer.dweights);
    } else {
      Tensor gates;
      layer.dstate =
          lstm::lstmBwd(m.graph, params, m.prog, state, kept, weights, x,
                        layer.y, g, lastGrad, &layer.dx, &gates);
      layer.dweights = lstm::lstmWU(m.graph, params, m.prog, state, kept, gates,
                                    weights, x, layer.y);
    }
    return layer;
  }

  // An array of the case whose first dimension is the units.
  const ReferenceArray &inOrder(const std::string &name) {
    arrays_.push_back(reordered(case_.array(name), params.cellOrder));
    return arrays_.back();
  }

  void expect(const Layer &layer, Tolerance tolerance, Tolerance ofSums) {
    m.expect(layer.y, case_.array("y"), tolerance, "y");
    m.expect(layer.c, case_.array("c"), tolerance, "c");
    m.expect(layer.dx, case_.array("dx"), tolerance, "dx");
    m.expect(layer.dstate.output, case_.array("dh0"), tolerance, "dh0");
    m.expect(layer.dstate.cellState, case_.array("dc0"), tolerance, "dc0");
    m.expect(layer.dweights.inputWeights, inOrder("dw"), ofSums, "dw");
    m.expect(layer.dweights.outputWeights, inOrder("du"), ofSums, "du");
    m.expect(layer.dweights.biases, inOrder("db"), ofSums, "db");
    m.run();
  }

  OperatorModel m;
  lstm::LstmParams params;

private:
  const ReferenceCase &case_;
  std::deque<ReferenceArray> arrays_; // whose addresses the model keeps
};

const std::vector<BasicLstmCellUnit> kPyTorchOrder = {
    BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_FORGET_GATE,
    BASIC_LSTM_CELL_CANDIDATE, BASIC_LSTM_CELL_OUTPUT_GATE};

void compareWithPyTorch(const Type &type, Tolerance tolerance,
                        Tolerance ofSums) {
  const std::vector<ReferenceCase> cases = references("lstm");
  EXPECT_EQ(cases.size(), 28u);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    Case c(cases[i], type,
           i % 2 ? kPyTorchOrder : lstm::getDefaultBasicLstmCellOrder());
    c.expect(c.add(i % 3 ? Gradients::together : Gradients::apart), tolerance,
             ofSums);
    if (testing::Test::HasFailure())
      return;
  }
}

std::vector<Tensor> addTraining(PatternedLayer &layer) {
  Graph &graph = layer.graph;
  program::Sequence &prog = layer.prog;
  const lstm::LstmParams params(FLOAT, 13, 7, {33, 70});
  const Tensor x = layer.fill(lstm::createInput(graph, params, "x"));
  const lstm::LstmState state = lstm::createInitialState(graph, params, "s");
  const lstm::LstmWeights weights = lstm::createWeights(graph, params, "w");
  for (const Tensor &t : {state.output, state.cellState, weights.inputWeights,
                          weights.outputWeights, weights.biases})
    layer.fill(t);
  Tensor kept, dx;
  lstm::LstmWeights dweights;
  const auto [y, c] =
      lstm::lstmFwd(graph, params, state, x, weights, &kept, prog);
  const lstm::LstmState dstate =
      lstm::lstmBwdWithWU(graph, params, prog, state, kept, weights, x, y, y,
                          &state, &dx, dweights);
  return {y,
          c,
          dx,
          dstate.getAsTensor(),
          dweights.inputWeights,
          dweights.outputWeights,
          dweights.biases};
}

} // namespace

TEST(Lstm, MatchesPyTorch) { compareWithPyTorch(FLOAT, kFloat, kFloat); }

TEST(Lstm, MatchesPyTorchInHalf) { compareWithPyTorch(HALF, kHalf, kHalfSum); }

TEST(Lstm, HasTheSameBitsOnAnyNumberOfThreadsAndWithoutFusion) {
  const std::vector<float> one = resultOn("1", "1", addTraining);
  EXPECT_EQ(one, resultOn("2", "1", addTraining));
  EXPECT_EQ(one, resultOn("3", "0", addTraining));
}

TEST(Lstm, InferenceHasTheOutputsOfTraining) {
  const std::vector<ReferenceCase> cases = references("lstm");
  for (const ReferenceCase &c : cases) {
    Case test(c, FLOAT);
    const lstm::LstmState state = {test.m.input(FLOAT, c.array("h0")),
                                   test.m.input(FLOAT, c.array("c0"))};
    const lstm::LstmWeights weights = {test.m.input(FLOAT, c.array("w")),
                                       test.m.input(FLOAT, c.array("u")),
                                       test.m.input(FLOAT, c.array("b"))};
    const auto [y, last] = lstm::lstmFwd(
        test.m.graph, test.params, state, test.m.input(FLOAT, c.array("x")),
        weights, nullptr, test.m.prog, {}, {{"inferenceOnly", "true"}});
    test.m.expect(y, c.array("y"), kFloat, "y");
    test.m.expect(last, c.array("c"), kFloat, "c");
    test.m.run();
  }
}

TEST(Lstm, GradientOfTheLastCellStateAloneIsTaken) {
  const std::vector<ReferenceCase> cases = references("lstm");
  for (const ReferenceCase &c : cases) {
    if (c.number("has_lengths") || c.text("activation") != "TANH")
      continue;
    Case test(c, FLOAT);
    auto &m = test.m;
    const lstm::LstmState state = {m.input(FLOAT, c.array("h0")),
                                   m.input(FLOAT, c.array("c0"))};
    const lstm::LstmWeights weights = {m.input(FLOAT, c.array("w")),
                                       m.input(FLOAT, c.array("u")),
                                       m.input(FLOAT, c.array("b"))};
    const Tensor x = m.input(FLOAT, c.array("x"));
    const Tensor g = m.input(FLOAT, c.array("g"));
    const Tensor gc = m.input(FLOAT, c.array("gc"));
    const Tensor zero = m.graph.addConstant(FLOAT, gc.shape(), 0.0f);
    m.graph.setTileMapping(zero, 0);
    const lstm::LstmState last = {zero, gc};
    Tensor kept, dx, dxOfBoth;
    const Tensor y =
        lstm::lstmFwd(m.graph, test.params, state, x, weights, &kept, m.prog)
            .first;
    lstm::lstmBwd(m.graph, test.params, m.prog, state, kept, weights, x, y, g,
                  &gc, &dx, nullptr);
    lstm::lstmBwd(m.graph, test.params, m.prog, state, kept, weights, x, y, g,
                  &last, &dxOfBoth, nullptr);
    const ReferenceArray none{
        x.shape(), std::vector<float>(x.numElements(), 0.0f), {}, {}};
    m.expect(popops::sub(m.graph, dx, dxOfBoth, m.prog), none, {0, 0}, "dx");
    m.run();
    return;
  }
}

TEST(Lstm, StatesOfSequencesThatEndEarlyAreZeroUnlessPreserved) {
  ReferenceArray lengths;
  lengths.shape = {2};
  lengths.ints = {1, 3};
  const ReferenceArray one{{2, 1}, {1, 1}, {}, {}};
  for (const bool preserves : {false, true}) {
    OperatorModel m;
    lstm::LstmParams params(FLOAT, 2, 4, m.input(UNSIGNED_INT, lengths),
                            {1, 1});
    params.preserveFinalState = preserves;
    const lstm::LstmWeights weights = lstm::createWeights(m.graph, params, "w");
    const ReferenceArray zeros{{4, 1, 1}, {0, 0, 0, 0}, {}, {}};
    for (const Tensor &t :
         {weights.inputWeights, weights.outputWeights, weights.biases})
      m.feed(t, zeros);
    const Tensor x = lstm::createInput(m.graph, params, "x");
    const ReferenceArray inputs{{4, 2, 1}, std::vector<float>(8, 1.0f), {}, {}};
    m.feed(x, inputs);
    const lstm::LstmState state = {m.input(FLOAT, one), m.input(FLOAT, one)};
    const Tensor c =
        lstm::lstmFwd(m.graph, params, state, x, weights, nullptr, m.prog)
            .second;
    // Gates of 1/2 halve the state in each step.
    const ReferenceArray expected{
        {2, 1}, {preserves ? 0.5f : 0.0f, 0.125f}, {}, {}};
    m.expect(c, expected, {0, 0}, "c");
    m.run();
  }
}

TEST(Lstm, WrongArgumentsAreNamed) {
  OperatorModel m;
  const lstm::LstmParams params(FLOAT, 2, 4, {3, 5});
  const Tensor x = lstm::createInput(m.graph, params, "x");
  const lstm::LstmState state = lstm::createInitialState(m.graph, params, "s");
  const lstm::LstmWeights weights = lstm::createWeights(m.graph, params, "w");
  const auto complaint = [&](const lstm::LstmParams &p, const Tensor &in,
                             const lstm::LstmWeights &w,
                             const OptionFlags &options = {}) -> std::string {
    try {
      lstm::lstmFwd(m.graph, p, state, in, w, nullptr, m.prog, {}, options);
    } catch (const poplibs_error &error) {
      return error.what();
    } catch (const invalid_option &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint(params, x, weights), "");
  EXPECT_EQ(complaint(params, x.slice(0, 3), weights),
            "lstmFwd: the input has shape {3,2,3}, not {4,2,3}");
  lstm::LstmWeights swapped = weights;
  std::swap(swapped.inputWeights, swapped.outputWeights);
  EXPECT_EQ(complaint(params, x, swapped),
            "lstmFwd: inputWeights has shape {4,5,5}, not {4,3,5}");
  lstm::LstmParams other = params;
  other.rnn.dataType = HALF;
  EXPECT_EQ(complaint(other, x, weights),
            "lstmFwd: stateInit is float, not half");
  other = params;
  other.activation = popnn::NonLinearityType::SOFTMAX_SCALED;
  EXPECT_EQ(
      complaint(other, x, weights),
      "lstmFwd: SOFTMAX_SCALED cannot be the activation of a cell, as its "
      "scale would be lost; take SOFTMAX_STABLE");
  other = params;
  other.cellOrder[0] = other.cellOrder[1];
  EXPECT_EQ(complaint(other, x, weights),
            "lstmFwd: cellOrder must have each unit once");
  other = params;
  other.rnn.layerSizes = {3, 5, 7};
  EXPECT_EQ(complaint(other, x, weights),
            "lstmFwd: layerSizes must be the input size and the output size, "
            "not {3,5,7}");
  EXPECT_NE(complaint(params, x, weights, {{"recomputationMode", "full"}}), "");
  EXPECT_NE(complaint(params, x, weights, {{"unknown", "1"}}), "");
  const Tensor signedLengths = m.graph.addVariable(INT, {2});
  EXPECT_EQ(complaint(lstm::LstmParams(FLOAT, 2, 4, signedLengths, {3, 5}), x,
                      weights),
            "lstmFwd: the lengths of sequences must be UNSIGNED_INT, not int");
  const Tensor three = m.graph.addVariable(UNSIGNED_INT, {3});
  EXPECT_THROW(lstm::LstmParams(FLOAT, 2, 4, three, {3, 5}), poplibs_error);
}

TEST(Lstm, FlopsCountProductsAndElements) {
  lstm::LstmParams params(FLOAT, 2, 3, {5, 7});
  EXPECT_EQ(lstm::getBasicLstmCellFwdFlops(params), 4200u);
  EXPECT_EQ(lstm::getBasicLstmCellBwdFlops(params), 4284u);
  EXPECT_EQ(lstm::getBasicLstmCellWuFlops(params), 4368u);
  params.doInputWeightCalc = params.calcInputGradients = false;
  EXPECT_EQ(lstm::getBasicLstmCellFwdFlops(params), 2520u);
  EXPECT_EQ(lstm::getBasicLstmCellBwdFlops(params), 2604u);
}
