#include "tests/ipumodel/operator_model.hpp"

#include <popnn/Loss.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplibstest;

namespace {

constexpr Tolerance kFloat{1e-6, 1e-5}; // of a logarithm

Tensor output(OperatorModel &m, const Type &type,
              const std::vector<std::size_t> &shape) {
  const Tensor t = m.graph.addVariable(type, shape);
  poputil::mapTensorLinearly(m.graph, t);
  return t;
}

} // namespace

TEST(Loss, CrossEntropyGivesPyTorchsLossAndGradientOfTheLogits) {
  for (const ReferenceCase &c : references("loss")) {
    OperatorModel m;
    const Tensor p = m.input(FLOAT, c.array("p"));
    const Tensor labels = m.input(INT, c.array("labels"));
    const Tensor loss = output(m, FLOAT, {p.dim(0)});
    const Tensor deltas = output(m, FLOAT, p.shape());
    m.prog.add(popnn::calcLoss(m.graph, p, labels, loss, deltas,
                               popnn::CROSS_ENTROPY_LOSS));
    m.expect(loss, c.array("loss"), kFloat, "loss");
    m.expect(deltas, c.array("dlogits"), kFloat, "gradient of the logits");
    m.run();
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(Loss, MaskedLabelsCountForNothing) {
  OperatorModel m;
  ReferenceArray p{{2, 2}, {0.25f, 0.75f, 0.5f, 0.5f}, {}, {}};
  ReferenceArray labels{{2}, {}, {}, {-1, 1}};
  ReferenceArray loss{{2}, {0, std::log(2.0f)}, {}, {}};
  ReferenceArray deltas{{2, 2}, {0, 0, 0.5f, -0.5f}, {}, {}};
  const Tensor outputs = m.input(FLOAT, p);
  const Tensor expected = m.input(INT, labels);
  const Tensor l = output(m, FLOAT, {2}), d = output(m, FLOAT, {2, 2});
  m.prog.add(popnn::calcLoss(m.graph, outputs, expected, l, d,
                             popnn::CROSS_ENTROPY_LOSS));
  m.expect(l, loss, kFloat, "loss");
  m.expect(d, deltas, kFloat, "deltas");
  m.run();
}

TEST(Loss, AccuracyAddsToWhatIsThere) {
  for (const ReferenceCase &c : references("loss")) {
    OperatorModel m;
    const Tensor p = m.input(FLOAT, c.array("p"));
    const Tensor labels = m.input(INT, c.array("labels"));
    const Tensor count = output(m, UNSIGNED_INT, {1});
    m.graph.setInitialValue(count[0], 10u);
    m.prog.add(popnn::calcAccuracy(m.graph, p, labels, count));
    m.graph.createHostRead("count", count);
    IPUModel model;
    model.tilesPerIPU = 16;
    const Device device = model.createDevice();
    m.graph.createHostWrite("p", p);
    m.graph.createHostWrite("labels", labels);
    Engine engine(m.graph, m.prog);
    engine.load(device);
    const ReferenceArray &probabilities = c.array("p");
    const ReferenceArray &classes = c.array("labels");
    engine.writeTensor("p", probabilities.floats.data(),
                       probabilities.floats.data() +
                           probabilities.floats.size());
    engine.writeTensor("labels", classes.ints.data(),
                       classes.ints.data() + classes.ints.size());
    engine.run();
    unsigned got = 0;
    engine.readTensor("count", &got, &got + 1);
    EXPECT_EQ(got, 10 + c.number("correct"));
  }
}

TEST(Loss, OneHotLabelsAreRefused) {
  OperatorModel m;
  const Tensor p = output(m, FLOAT, {2, 3});
  const Tensor oneHot = output(m, INT, {2, 3});
  const Tensor l = output(m, FLOAT, {2}), d = output(m, FLOAT, {2, 3});
  EXPECT_THROW(
      popnn::calcLoss(m.graph, p, oneHot, l, d, popnn::CROSS_ENTROPY_LOSS),
      poputil::poplibs_error);
}

TEST(Loss, MustNotBeAnInteger) {
  OperatorModel m;
  const Tensor p = output(m, FLOAT, {2, 3}), d = output(m, FLOAT, {2, 3});
  const Tensor labels = output(m, INT, {2});
  EXPECT_THROW(popnn::calcLoss(m.graph, p, labels, output(m, INT, {2}), d,
                               popnn::CROSS_ENTROPY_LOSS),
               poputil::poplibs_error);
}

TEST(Loss, ArgMaxTakesTheFirstOfEqualValues) {
  OperatorModel m;
  ReferenceArray x{{2, 4}, {1, 3, 3, 2, -5, -1, -1, -7}, {}, {}};
  ReferenceArray largest{{2}, {3, -1}, {}, {}};
  const auto result = popnn::maxAndArgMax(m.graph, m.input(FLOAT, x), m.prog);
  m.expect(result.first, largest, {0, 0}, "largest");
  m.graph.createHostRead("at", result.second);
  m.run();
  EXPECT_EQ(result.second.elementType(), UNSIGNED_INT);
}
