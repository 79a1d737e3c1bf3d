#include "tests/ipumodel/poplin/conv/convolution_case.hpp"
#include "tests/support/instruction_sets.hpp"

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplibstest;

namespace {

// Operands are multiples of 1/16, so only the order of summation differs: by a
// few roundings of the largest partial sum.
constexpr Tolerance kFloat{1e-4, 1e-5};
// Results are rounded to half once.
constexpr Tolerance kHalf{1e-2, 1e-3};

void checkCases(const Type &type, Tolerance tolerance) {
  for (const ReferenceCase &c : references("convolution")) {
    OperatorModel m;
    const poplin::ConvParams params = paramsOf(c, type);
    const Tensor x = poplin::createInput(m.graph, params, "x");
    const Tensor w = poplin::createWeights(m.graph, params, "w");
    m.feed(x, c.array("x"));
    std::vector<std::size_t> flat = w.shape();
    flat.erase(flat.begin());
    flat[0] *= params.numConvGroups;
    m.feed(w.reshape(flat), c.array("w"));
    const Tensor y = poplin::convolution(m.graph, x, w, params, false, m.prog);
    m.expect(y, c.array("y"), tolerance, "output");
    const Tensor g = m.input(type, c.array("g"));
    m.expect(poplin::convolution(m.graph, g, w,
                                 poplin::getGradientParams(params), true,
                                 m.prog),
             c.array("dx"), tolerance, "gradient of the input");
    const Tensor dw =
        poplin::calculateWeightDeltas(m.graph, g, x, params, m.prog);
    m.expect(dw.reshape(flat), c.array("dw"), tolerance,
             "gradient of the weights");
    m.run();
    if (testing::Test::HasFailure())
      return;
  }
}

void checkUpdates() {
  for (const ReferenceCase &c : references("convolution")) {
    OperatorModel m;
    const poplin::ConvParams params = paramsOf(c, FLOAT);
    const Tensor x = m.input(FLOAT, c.array("x"));
    const Tensor g = m.input(FLOAT, c.array("g"));
    const Tensor w = m.input(FLOAT, c.array("w"));
    poplin::convolutionWeightUpdate(m.graph, g,
                                    withGroups(w, params.numConvGroups), x,
                                    params, -0.25f, m.prog);
    ReferenceArray updated = c.array("w");
    for (std::size_t i = 0; i < updated.floats.size(); ++i)
      updated.floats[i] -= 0.25f * c.array("dw").floats[i];
    m.expect(w, updated, kFloat, "updated weights");
    m.run();
    if (testing::Test::HasFailure())
      return;
  }
}

} // namespace

TEST(Convolution, MatchesPyTorchInFloat) { checkCases(FLOAT, kFloat); }

TEST(Convolution, MatchesPyTorchInHalf) { checkCases(HALF, kHalf); }

TEST(Convolution, TakesOperandsInAnyLayout) {
  for (const ReferenceCase &c : references("convolution")) {
    OperatorModel m;
    const poplin::ConvParams params = paramsOf(c, FLOAT);
    const Tensor x = m.input(FLOAT, c.array("x"));
    const Tensor w =
        withGroups(m.input(FLOAT, c.array("w")), params.numConvGroups);
    m.expect(poplin::convolution(m.graph, x, w, params, false, m.prog),
             c.array("y"), kFloat, "output");
    m.run();
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(Convolution, WeightUpdateAddsTheScaledGradient) { checkUpdates(); }

// Also of tensors whose lines are no whole vectors.
TEST(Convolution, IsTheSameOnEveryInstructionSet) {
  onEveryInstructionSet([] {
    checkCases(FLOAT, kFloat);
    checkUpdates();
  });
}

TEST(Convolution, BiasesAreAddedPerChannelAndUpdatedByTheSum) {
  const ReferenceCase c = references("convolution")[0];
  OperatorModel m;
  const Tensor y = m.input(FLOAT, c.array("y"));
  const Tensor g = m.input(FLOAT, c.array("g"));
  const std::size_t channels = y.dim(1);
  ReferenceArray bias{{channels}, std::vector<float>(channels), {}, {}};
  for (std::size_t i = 0; i < channels; ++i)
    bias.floats[i] = static_cast<float>(i) - 1.5f;
  const Tensor b = poplin::createBiases(m.graph, y);
  m.feed(b, bias);
  poplin::addBias(m.graph, y, b, m.prog);
  ReferenceArray sum = c.array("y"), updated = bias;
  const std::size_t field = sum.floats.size() / sum.shape[0] / channels;
  for (std::size_t i = 0; i < sum.floats.size(); ++i) {
    const std::size_t channel = i / field % channels;
    sum.floats[i] += bias.floats[channel];
    updated.floats[channel] += 2.0f * c.array("g").floats[i];
  }
  m.expect(y, sum, kFloat, "sum");
  poplin::convolutionBiasUpdate(m.graph, g, b, 2.0f, {}, m.prog);
  m.expect(b, updated, kFloat, "updated biases");
  m.run();
}

TEST(Convolution, MisuseIsRefused) {
  OperatorModel m;
  const poplin::ConvParams params(FLOAT, 1, {5, 5}, {3, 3}, 2, 4, 1);
  const Tensor x = poplin::createInput(m.graph, params);
  const Tensor w = poplin::createWeights(m.graph, params);
  const Tensor wrong = poplin::createInput(
      m.graph, poplin::ConvParams(FLOAT, 1, {6, 5}, {3, 3}, 2, 4, 1));
  EXPECT_THROW(poplin::convolution(m.graph, wrong, w, params, false, m.prog),
               poputil::poplibs_error);
  EXPECT_THROW(poplin::convolution(m.graph, x, w, params, true, m.prog),
               poputil::poplibs_error);
  EXPECT_THROW(poplin::convolution(m.graph, x, w, params, false, m.prog, "c",
                                   {{"fullyConnectedPass", "NONE"}}),
               invalid_option);
  EXPECT_THROW(poplin::ConvParams(FLOAT, 1, {2, 2}, {3, 3}, 2, 4, 1).validate(),
               poputil::poplibs_error);
  EXPECT_THROW(
      poplin::createInput(
          m.graph, poplin::ConvParams(FLOAT, INT, 1, {5, 5}, {3, 3}, 2, 4, 1)),
      poputil::poplibs_error);
}

TEST(Convolution, TheMemoryOfAPlanIsNotNegative) {
  const auto validate = [](const char *proportion) {
    poplin::convolutionValidateOptions(
        {{"availableMemoryProportion", proportion}});
    poplin::matmulValidateOptions({{"availableMemoryProportion", proportion}});
  };
  EXPECT_NO_THROW(validate("0"));
  EXPECT_NO_THROW(validate("0.6"));
  EXPECT_NO_THROW(validate("1.5")); // more than available: no limit
  EXPECT_THROW(validate("-0.1"), invalid_option);
  EXPECT_THROW(validate("much"), invalid_option);
}

TEST(Convolution, GradientsOfAnotherTypeOrShapeAreRefused) {
  OperatorModel m;
  const poplin::ConvParams params(FLOAT, 1, {5, 5}, {3, 3}, 2, 4, 1);
  const Tensor x = poplin::createInput(m.graph, params);
  const Tensor w = poplin::createWeights(m.graph, params);
  const Tensor g = poplin::createConvOutput(m.graph, params);
  for (const Type &type : {HALF, INT})
    EXPECT_THROW(poplin::calculateWeightDeltas(m.graph, m.graph.clone(type, g),
                                               x, params, m.prog),
                 poputil::poplibs_error);
  const auto update = [&](const Tensor &weights, const Tensor &scale) {
    poplin::convolutionWeightUpdate(m.graph, g, weights, x, params, scale,
                                    m.prog);
  };
  const Tensor scale = m.graph.addVariable(FLOAT, {});
  EXPECT_THROW(update(w[0], scale), poputil::poplibs_error); // without groups
  EXPECT_THROW(update(m.graph.clone(INT, w), scale), poputil::poplibs_error);
  EXPECT_THROW(update(w, m.graph.clone(INT, scale)), poputil::poplibs_error);
  const Tensor biases = poplin::createBiases(m.graph, g);
  EXPECT_THROW(
      poplin::convolutionBiasUpdate(m.graph, g, biases, biases, {}, m.prog),
      poputil::poplibs_error);
  EXPECT_THROW(poplin::addBias(m.graph, g, m.graph.clone(HALF, biases), m.prog),
               poputil::poplibs_error);
}

TEST(Convolution, HalfGradientsMayBeSummedInFloat) {
  const ReferenceCase c = references("convolution")[0];
  OperatorModel m;
  const poplin::ConvParams params = paramsOf(c, HALF);
  const Tensor x = m.input(HALF, c.array("x"));
  const Tensor g = m.input(HALF, c.array("g"));
  const Tensor w = m.input(FLOAT, c.array("w"));
  poplin::convolutionWeightUpdate(
      m.graph, g, withGroups(w, params.numConvGroups), x, params, 0.5f, m.prog);
  ReferenceArray updated = c.array("w");
  for (std::size_t i = 0; i < updated.floats.size(); ++i)
    updated.floats[i] += 0.5f * c.array("dw").floats[i];
  m.expect(w, updated, kHalf, "updated weights");
  m.run();
}

TEST(Convolution, APlanningCacheCountsDistinctProblems) {
  OperatorModel m;
  poplin::PlanningCache cache;
  const poplin::ConvParams params(FLOAT, 1, {5, 5}, {3, 3}, 2, 4, 1);
  poplin::createInput(m.graph, params, "x", {}, &cache);
  poplin::createWeights(m.graph, params, "w", {}, &cache);
  EXPECT_EQ(cache.size(), 1u);
  poplin::createWeights(m.graph, params, "w", {{"pass", "TRAINING_FWD"}},
                        &cache);
  EXPECT_EQ(cache.size(), 2u);
}
