#include "tests/ipumodel/poplin/conv/convolution_case.hpp"

#include <poplin/ConvUtil.hpp>
#include <poplin/MultiConvolution.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplibstest;
namespace multiconv = poplin::multiconv;

namespace {

// As for single convolutions.
constexpr Tolerance kFloat{1e-4, 1e-5};
constexpr Tolerance kHalf{1e-2, 1e-3};

// Weights as PyTorch has them: [groups * out, in, kernel...].
Tensor withoutGroups(const Tensor &weights) { return weights.flatten(0, 2); }

// All cases in sets of five, which do not have the same number of dimensions.
void checkCases(const Type &type, Tolerance tolerance) {
  const std::vector<ReferenceCase> cases = references("convolution");
  constexpr std::size_t kSet = 5;
  ASSERT_EQ(cases.size() % kSet, 0u);
  for (std::size_t first = 0; first < cases.size(); first += kSet) {
    OperatorModel m;
    std::vector<multiconv::CreateTensorArgs> create;
    for (std::size_t i = 0; i < kSet; ++i)
      create.push_back({paramsOf(cases[first + i], type), {}, "conv"});
    std::vector<multiconv::ConvolutionArgs> forward, backward;
    std::vector<multiconv::CalculateWeightDeltasArgs> deltas;
    for (unsigned i = 0; i < kSet; ++i) {
      const ReferenceCase &c = cases[first + i];
      const poplin::ConvParams &params = create[i].params;
      const Tensor x = multiconv::createInput(m.graph, create, i);
      const Tensor w = multiconv::createWeights(m.graph, create, i);
      const Tensor g = m.input(type, c.array("g"));
      m.feed(x, c.array("x"));
      m.feed(withoutGroups(w), c.array("w"));
      forward.push_back({x, w, params, {}});
      backward.push_back({g, w, poplin::getGradientParams(params), {}});
      deltas.push_back({g, x, params, {}});
    }
    const std::vector<Tensor> y = multiconv::convolution(
        m.graph, forward, false, m.prog, {}, {{"planType", "serial"}});
    const std::vector<Tensor> dx =
        multiconv::convolution(m.graph, backward, true, m.prog);
    const std::vector<Tensor> dw =
        multiconv::calculateWeightDeltas(m.graph, deltas, m.prog);
    for (std::size_t i = 0; i < kSet; ++i) {
      const ReferenceCase &c = cases[first + i];
      m.expect(y[i], c.array("y"), tolerance, "y");
      m.expect(dx[i], c.array("dx"), tolerance, "dx");
      m.expect(withoutGroups(dw[i]), c.array("dw"), tolerance, "dw");
    }
    m.run();
    if (testing::Test::HasFailure())
      return;
  }
}

poplin::ConvParams smallParams() { return {FLOAT, 1, {2}, {1}, 1, 1, 1}; }

} // namespace

TEST(MultiConvolution, MatchesPyTorchInFloat) { checkCases(FLOAT, kFloat); }

TEST(MultiConvolution, MatchesPyTorchInHalf) { checkCases(HALF, kHalf); }

TEST(MultiConvolution, UpdatesWeightsByAScaledGradient) {
  OperatorModel m;
  const ReferenceArray one{{1, 1, 1, 1}, {1}, {}, {}};
  const ReferenceArray x{{1, 1, 2}, {2, 3}, {}, {}},
      g{{1, 1, 2}, {1, 10}, {}, {}};
  const poplin::ConvParams params = smallParams();
  const Tensor scale = m.graph.addConstant(FLOAT, {}, 0.5f);
  m.graph.setTileMapping(scale, 0);
  std::vector<multiconv::ConvWeightUpdateArgs> byTensor;
  std::vector<multiconv::ConvWeightUpdateArgsScalar> byNumber;
  const Tensor xs = m.input(FLOAT, x), gs = m.input(FLOAT, g);
  const Tensor a = m.input(FLOAT, one), b = m.input(FLOAT, one);
  byTensor.push_back({gs, a, xs, scale, params, {}});
  byNumber.push_back({gs, b, xs, -1.0f, params, {}});
  multiconv::convolutionWeightUpdate(m.graph, byTensor, m.prog);
  multiconv::convolutionWeightUpdate(m.graph, byNumber, m.prog);
  const ReferenceArray plus{{1, 1, 1, 1}, {17}, {}, {}};
  const ReferenceArray minus{{1, 1, 1, 1}, {-31}, {}, {}};
  m.expect(a, plus, {0, 0}, "by a tensor");
  m.expect(b, minus, {0, 0}, "by a number");
  m.run();
}

TEST(MultiConvolution, TransposesTheWeightsOfEach) {
  OperatorModel m;
  const ReferenceArray in{{1, 2, 1, 3}, {1, 2, 3, 4, 5, 6}, {}, {}};
  const ReferenceArray out{{1, 1, 2, 3}, {3, 2, 1, 6, 5, 4}, {}, {}};
  const poplin::ConvParams params(FLOAT, 1, {5}, {3}, 2, 1, 1);
  std::vector<multiconv::ConvolutionArgs> args;
  std::vector<Tensor> weights;
  for (unsigned i = 0; i < 2; ++i) {
    args.push_back(
        {Tensor(), poplin::createWeights(m.graph, params, "w"), params, {}});
    weights.push_back(m.input(FLOAT, in));
  }
  multiconv::weightsTransposeChansFlipXY(m.graph, args, weights, m.prog, {}, {},
                                         nullptr);
  for (const multiconv::ConvolutionArgs &a : args)
    m.expect(a.weights, out, {0, 0}, "weights");
  m.run();
}

TEST(MultiConvolution, WrongArgumentsAreNamed) {
  OperatorModel m;
  const std::vector<multiconv::CreateTensorArgs> create = {
      {smallParams(), {}, "conv"}};
  EXPECT_THROW(multiconv::createInput(m.graph, create, 1),
               poputil::poplibs_error);
  EXPECT_THROW(multiconv::createWeights(m.graph, create, 1),
               poputil::poplibs_error);
  EXPECT_THROW(
      multiconv::createInput(m.graph, create, 0, {{"planType", "fast"}}),
      invalid_option);
  EXPECT_THROW(multiconv::createInput(m.graph, create, 0, {{"pass", "NONE"}}),
               invalid_option);
  std::vector<multiconv::ConvolutionArgs> none;
  const std::vector<Tensor> one(1);
  EXPECT_THROW(multiconv::weightsTransposeChansFlipXY(m.graph, none, one,
                                                      m.prog, {}, {}, nullptr),
               poputil::poplibs_error);
}

TEST(MultiConvolution, AParallelPlanCountsCyclesOfAllOrOfNone) {
  OperatorModel m;
  const std::vector<multiconv::CreateTensorArgs> create(
      2, {smallParams(), {}, "conv"});
  std::vector<multiconv::ConvolutionArgs> args;
  for (unsigned i = 0; i < 2; ++i)
    args.push_back({multiconv::createInput(m.graph, create, i),
                    multiconv::createWeights(m.graph, create, i),
                    create[i].params,
                    {{"insertTransformsCycleCountProgs", "true"}}});
  const auto convolve = [&](const OptionFlags &options) {
    multiconv::convolution(m.graph, args, false, m.prog, {}, options);
  };
  EXPECT_NO_THROW(convolve({}));
  args[1].options.set("insertTransformsCycleCountProgs", "false");
  EXPECT_THROW(convolve({}), poputil::poplibs_error);
  EXPECT_THROW(convolve({{"planType", "parallel"}}), poputil::poplibs_error);
  EXPECT_NO_THROW(convolve({{"planType", "serial"}}));
}
