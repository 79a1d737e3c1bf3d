#include "tests/ipumodel/popnn/recurrent/patterned_layer.hpp"
#include "tests/ipumodel/popnn/recurrent/recurrent_case.hpp"

#include <popnn/Gru.hpp>
#include <poputil/exceptions.hpp>

#include <deque>

using namespace poplar;
using namespace poplibstest;
using poputil::poplibs_error;
namespace gru = popnn::gru;

namespace {

// As for LSTMs.
constexpr Tolerance kFloat{2e-5, 2e-5};
constexpr Tolerance kHalf{0x1p-6, 0x1p-6};
constexpr Tolerance kHalfSum{0x1p-4, 0x1p-5};

// The lengths are parameters, or an argument of each function.
enum class Lengths { parameters, argument };
enum class Gradients { together, apart };

struct Layer {
  Tensor y, dx, dstate, dattention;
  gru::GruWeights dweights;
};

// Feeds the case's numbers, with units in the order of the parameters.
class Case {
public:
  Case(const ReferenceCase &c, const Type &type, Lengths where,
       const std::vector<BasicGruCellUnit> &order =
           gru::getDefaultBasicGruCellOrder())
      : lengths(lengthsOf(m, c)),
        params(type, c.array("x").shape[1], c.array("x").shape[0],
               where == Lengths::parameters ? lengths : Tensor(),
               {c.array("x").shape[2], c.array("h0").shape[1]},
               activationOf(c.text("activation")),
               activationOf(c.text("recurrent"))),
        passesLengths(where == Lengths::argument && lengths.valid()),
        attends(c.number("attends")), case_(c) {
    params.outputFullSequence = c.number("full");
    params.resetAfter = c.number("reset_after");
    params.cellOrder = order;
    x = gru::createInput(m.graph, params, "x");
    state = gru::createInitialState(m.graph, params, "state", {}, nullptr);
    weights = gru::createWeights(m.graph, params, "weights");
    attention = gru::createAttention(m.graph, params, "attention");
    m.feed(x, c.array("x"));
    m.feed(state, c.array("h0"));
    m.feed(attention, c.array("a"));
    m.feed(weights.inputWeights, inOrder("w"));
    m.feed(weights.outputWeights, inOrder("u"));
    m.feed(weights.biases, inOrder("b"));
    g = m.input(type, c.array("g"));
  }

  Tensor addForward(Tensor *kept) {
    if (attends)
      return passesLengths ? gru::auGruFwd(m.graph, params, state, x, lengths,
                                           weights, kept, attention, m.prog)
                           : gru::auGruFwd(m.graph, params, state, x, weights,
                                           kept, attention, m.prog);
    return passesLengths
               ? gru::gruFwd(m.graph, params, state, x, lengths, weights, kept,
                             m.prog)
               : gru::gruFwd(m.graph, params, state, x, weights, kept, m.prog);
  }

  Layer add(Gradients gradients) {
    Layer l;
    Tensor kept;
    l.y = addForward(&kept);
    if (gradients == Gradients::together)
      addTogether(l, kept);
    else
      addApart(l, kept);
    return l;
  }

  // An array of the case whose first dimension is the units.
  const ReferenceArray &inOrder(const std::string &name) {
    arrays_.push_back(reordered(case_.array(name), params.cellOrder));
    return arrays_.back();
  }

  void expect(const Layer &l, Tolerance tolerance, Tolerance ofSums) {
    m.expect(l.y, case_.array("y"), tolerance, "y");
    m.expect(l.dx, case_.array("dx"), tolerance, "dx");
    m.expect(l.dstate, case_.array("dh0"), tolerance, "dh0");
    if (attends)
      m.expect(l.dattention, case_.array("da"), ofSums, "da");
    m.expect(l.dweights.inputWeights, inOrder("dw"), ofSums, "dw");
    m.expect(l.dweights.outputWeights, inOrder("du"), ofSums, "du");
    m.expect(l.dweights.biases, inOrder("db"), ofSums, "db");
    m.run();
  }

  OperatorModel m;
  Tensor lengths;
  gru::GruParams params;
  bool passesLengths, attends;
  Tensor x, state, attention, g;
  gru::GruWeights weights;

private:
  void addTogether(Layer &l, const Tensor &kept) {
    if (attends && passesLengths)
      l.dstate = gru::auGruBwdWithWU(
          m.graph, params, m.prog, state, kept, weights, x, lengths, l.y, g,
          &l.dx, l.dweights, attention, &l.dattention, {}, {}, nullptr);
    else if (attends)
      l.dstate = gru::auGruBwdWithWU(m.graph, params, m.prog, state, kept,
                                     weights, x, l.y, g, &l.dx, l.dweights,
                                     attention, &l.dattention, {}, {}, nullptr);
    else if (passesLengths)
      l.dstate = gru::gruBwdWithWU(m.graph, params, m.prog, state, kept,
                                   weights, x, lengths, l.y, g, &l.dx,
                                   l.dweights, {}, {}, nullptr);
    else
      l.dstate =
          gru::gruBwdWithWU(m.graph, params, m.prog, state, kept, weights, x,
                            l.y, g, &l.dx, l.dweights, {}, {}, nullptr);
  }

  void addApart(Layer &l, const Tensor &kept) {
    Tensor gates;
    if (attends && passesLengths)
      l.dstate = gru::auGruBwd(m.graph, params, m.prog, state, kept, weights, x,
                               lengths, l.y, g, &l.dx, &gates, attention,
                               &l.dattention, {}, {}, nullptr);
    else if (attends)
      l.dstate = gru::auGruBwd(m.graph, params, m.prog, state, kept, weights, x,
                               l.y, g, &l.dx, &gates, attention, &l.dattention,
                               {}, {}, nullptr);
    else if (passesLengths)
      l.dstate = gru::gruBwd(m.graph, params, m.prog, state, kept, weights, x,
                             lengths, l.y, g, &l.dx, &gates, {}, {}, nullptr);
    else
      l.dstate = gru::gruBwd(m.graph, params, m.prog, state, kept, weights, x,
                             l.y, g, &l.dx, &gates, {}, {}, nullptr);
    const auto wu = attends ? gru::auGruWU : gru::gruWU;
    l.dweights = wu(m.graph, params, m.prog, state, kept, gates, weights, x,
                    l.y, {}, {}, nullptr);
  }

  const ReferenceCase &case_;
  std::deque<ReferenceArray> arrays_; // whose addresses the model keeps
};

const std::vector<BasicGruCellUnit> kKerasOrder = {BASIC_GRU_CELL_UPDATE_GATE,
                                                   BASIC_GRU_CELL_RESET_GATE,
                                                   BASIC_GRU_CELL_CANDIDATE};

void compareWithPyTorch(const Type &type, Tolerance tolerance,
                        Tolerance ofSums) {
  const std::vector<ReferenceCase> cases = references("gru");
  EXPECT_EQ(cases.size(), 30u);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    const bool canPass = cases[i].number("full");
    Case c(cases[i], type,
           canPass && i % 4 < 2 ? Lengths::argument : Lengths::parameters,
           i % 2 ? kKerasOrder : gru::getDefaultBasicGruCellOrder());
    c.expect(c.add(i % 3 ? Gradients::apart : Gradients::together), tolerance,
             ofSums);
    if (testing::Test::HasFailure())
      return;
  }
}

std::vector<Tensor> addTraining(PatternedLayer &layer, bool resetAfter) {
  Graph &graph = layer.graph;
  program::Sequence &prog = layer.prog;
  gru::GruParams params(FLOAT, 13, 7, {33, 70});
  params.resetAfter = resetAfter;
  const Tensor x = layer.fill(gru::createInput(graph, params, "x"));
  const Tensor state =
      layer.fill(gru::createInitialState(graph, params, "s", {}, nullptr));
  const Tensor attention = layer.fill(gru::createAttention(graph, params, "a"));
  const gru::GruWeights weights = gru::createWeights(graph, params, "w");
  for (const Tensor &t :
       {weights.inputWeights, weights.outputWeights, weights.biases})
    layer.fill(t);
  Tensor kept, dx, da;
  gru::GruWeights dweights;
  const Tensor y =
      gru::auGruFwd(graph, params, state, x, weights, &kept, attention, prog);
  const Tensor dstate =
      gru::auGruBwdWithWU(graph, params, prog, state, kept, weights, x, y, y,
                          &dx, dweights, attention, &da, {}, {}, nullptr);
  return {y,
          dx,
          dstate,
          da,
          dweights.inputWeights,
          dweights.outputWeights,
          dweights.biases};
}

} // namespace

TEST(Gru, MatchesPyTorch) { compareWithPyTorch(FLOAT, kFloat, kFloat); }

TEST(Gru, MatchesPyTorchInHalf) { compareWithPyTorch(HALF, kHalf, kHalfSum); }

TEST(Gru, HasTheSameBitsOnAnyNumberOfThreadsAndWithoutFusion) {
  for (const bool resetAfter : {false, true}) {
    const auto add = [&](PatternedLayer &layer) {
      return addTraining(layer, resetAfter);
    };
    const std::vector<float> one = resultOn("1", "1", add);
    EXPECT_EQ(one, resultOn("2", "1", add));
    EXPECT_EQ(one, resultOn("3", "0", add));
  }
}

TEST(Gru, InferenceHasTheOutputsOfTraining) {
  const std::vector<ReferenceCase> cases = references("gru");
  for (const ReferenceCase &c : cases) {
    Case test(c, FLOAT, Lengths::parameters);
    test.m.expect(test.addForward(nullptr), c.array("y"), kFloat, "y");
    test.m.run();
  }
}

TEST(Gru, WrongArgumentsAreNamed) {
  OperatorModel m;
  const gru::GruParams params(FLOAT, 2, 4, {3, 5});
  const Tensor x = gru::createInput(m.graph, params, "x");
  const Tensor state =
      gru::createInitialState(m.graph, params, "s", {}, nullptr);
  const gru::GruWeights weights = gru::createWeights(m.graph, params, "w");
  const auto complaint = [](const auto &call) -> std::string {
    try {
      call();
    } catch (const poplibs_error &error) {
      return error.what();
    }
    return "";
  };
  const auto forward = [&](const gru::GruParams &p, const Tensor &in) {
    return complaint(
        [&] { gru::gruFwd(m.graph, p, state, in, weights, nullptr, m.prog); });
  };
  EXPECT_EQ(forward(params, x), "");
  EXPECT_EQ(forward(params, x.slice(0, 2, 2)),
            "gruFwd: the input has shape {4,2,2}, not {4,2,3}");
  gru::GruParams other = params;
  other.resetAfter = true;
  EXPECT_EQ(forward(other, x), "gruFwd: biases has shape {3,5}, not {3,2,5}");
  EXPECT_EQ(complaint([&] {
              gru::auGruFwd(m.graph, params, state, x, weights, nullptr, x,
                            m.prog);
            }),
            "auGruFwd: the attention has shape {4,2,3}, not {2,4}");
  gru::GruParams last = params;
  last.outputFullSequence = false;
  const Tensor lengths = m.graph.addVariable(UNSIGNED_INT, {2});
  EXPECT_EQ(complaint([&] {
              gru::gruFwd(m.graph, last, state, x, lengths, weights, nullptr,
                          m.prog);
            }),
            "gruFwd: outputFullSequence must be true if realTimeSteps are "
            "given");
  Tensor kept;
  const Tensor y =
      gru::gruFwd(m.graph, params, state, x, weights, &kept, m.prog);
  EXPECT_EQ(complaint([&] {
              gru::gruBwd(m.graph, params, m.prog, state, kept, weights, x, y,
                          y, nullptr, nullptr, {}, {}, nullptr);
            }),
            "gruBwd: inputGrad must be null if and only if calcInputGradients "
            "is false");
  EXPECT_THROW(gru::gruFwd(m.graph, params, state, x, weights, nullptr, m.prog,
                           {}, {{"preCalcWeights", "true"}}),
               invalid_option);
}

TEST(Gru, FlopsCountProductsAndElements) {
  gru::GruParams params(FLOAT, 2, 3, {5, 7});
  EXPECT_EQ(gru::getBasicGruCellFwdFlops(params), 3234u);
  EXPECT_EQ(gru::getBasicGruCellBwdFlops(params), 5124u);
  EXPECT_EQ(gru::getBasicGruCellWuFlops(params), 3276u);
  params.calcInputGradients = false;
  EXPECT_EQ(gru::getBasicGruCellBwdFlops(params), 3864u);
}
