#include "tests/ipumodel/operator_model.hpp"
#include "tests/support/scoped_env.hpp"

#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/Norms.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplibstest;
namespace in = popnn::in;
namespace ln = popnn::ln;

namespace {

// As in make_references.py.
constexpr float kEpsilon = 0.25f;

// Sums of up to 750 elements below 4 in another order, and a square root.
constexpr Tolerance kFloat{1e-4, 1e-4};
// As for batches in norm_test.cpp: the same roundings of the same numbers.
constexpr Tolerance kHalf{0x1p-4, 0};
constexpr Tolerance kHalfSum{0.25, 0};

struct Norm {
  Tensor mean, y, dx, dgamma, dbeta;
};

// Whitens again for the gradients, or reuses the result of the forward pass.
enum class Whitened { again, kept };

struct Inputs {
  Tensor x, g, gamma, beta;
};

Norm addLayerNorm(OperatorModel &m, const Inputs &i, bool stable,
                  Whitened whitened) {
  const auto [mean, inverse] = ln::layerNormStatistics(
      m.graph, i.x, kEpsilon, m.prog, false, stable, FLOAT);
  const auto [y, w] =
      ln::layerNormalise(m.graph, i.x, i.gamma, i.beta, mean, inverse, m.prog);
  if (whitened == Whitened::kept) {
    const auto [dgamma, dbeta] =
        ln::layerNormParamGradients(m.graph, w, i.g, m.prog);
    return {mean, y,
            ln::layerNormGradients(m.graph, w, i.g, inverse, i.gamma, m.prog),
            dgamma, dbeta};
  }
  const auto [dgamma, dbeta] =
      ln::layerNormParamGradients(m.graph, i.x, i.g, mean, inverse, m.prog);
  return {
      mean, y,
      ln::layerNormGradients(m.graph, i.x, i.g, mean, inverse, i.gamma, m.prog),
      dgamma, dbeta};
}

Norm addInstanceNorm(OperatorModel &m, const Inputs &i, bool stable,
                     Whitened whitened) {
  const auto [mean, inverse] = in::instanceNormStatistics(
      m.graph, i.x, kEpsilon, m.prog, false, stable, FLOAT);
  const auto [y, w] = in::instanceNormalise(m.graph, i.x, i.gamma, i.beta, mean,
                                            inverse, m.prog);
  if (whitened == Whitened::kept) {
    const auto [dgamma, dbeta] =
        in::instanceNormParamGradients(m.graph, w, i.g, m.prog);
    return {
        mean, y,
        in::instanceNormGradients(m.graph, w, i.g, inverse, i.gamma, m.prog),
        dgamma, dbeta};
  }
  const auto [dgamma, dbeta] =
      in::instanceNormParamGradients(m.graph, i.x, i.g, mean, inverse, m.prog);
  return {mean, y,
          in::instanceNormGradients(m.graph, i.x, i.g, mean, inverse, i.gamma,
                                    m.prog),
          dgamma, dbeta};
}

Norm addNorm(OperatorModel &m, const ReferenceCase &c, const Type &type,
             bool stable, Whitened whitened) {
  const Tensor x = m.input(type, c.array("x")), g = m.input(type, c.array("g"));
  const auto [gamma, beta] = popnn::createNormParams(m.graph, x);
  m.feed(gamma, c.array("gamma"));
  m.feed(beta, c.array("beta"));
  const Inputs inputs{x, g, gamma, beta};
  return c.text("kind") == "layer"
             ? addLayerNorm(m, inputs, stable, whitened)
             : addInstanceNorm(m, inputs, stable, whitened);
}

void compareWithPyTorch(const Type &type, Tolerance tolerance,
                        Tolerance ofSums) {
  const std::vector<ReferenceCase> cases = references("sample_norm");
  EXPECT_EQ(cases.size(), 16u);
  for (const ReferenceCase &c : cases)
    for (const bool stable : {false, true}) {
      OperatorModel m;
      const Norm norm = addNorm(m, c, type, stable,
                                stable ? Whitened::again : Whitened::kept);
      m.expect(norm.y, c.array("y"), tolerance, "y");
      m.expect(norm.dx, c.array("dx"), tolerance, "dx");
      m.expect(norm.dgamma, c.array("dgamma"), ofSums, "dgamma");
      m.expect(norm.dbeta, c.array("dbeta"), ofSums, "dbeta");
      m.run();
      if (testing::Test::HasFailure())
        return;
    }
}

float patternAt(std::size_t i) {
  return static_cast<float>(i * i % 1009) / 1009;
}

using Shape = std::vector<std::size_t>;
const Shape kImages = {4, 16, 32, 32}; // enough for several threads
const Shape kRows = {77, 301};

// All results for activations of the pattern, which also are the gradients.
std::vector<float> resultOn(const char *threads, decltype(&addLayerNorm) add,
                            const Shape &shape, bool stable = false,
                            const char *fusion = "1") {
  const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
  const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
  OperatorModel m;
  IPUModel model;
  model.tilesPerIPU = m.graph.getTarget().getTilesPerIPU();
  const Device device = model.createDevice();
  std::vector<float> pattern(4 * 16 * 32 * 32);
  for (std::size_t i = 0; i < pattern.size(); ++i)
    pattern[i] = patternAt(i);
  const auto variable = [&](const Shape &dims) {
    const Tensor t = m.graph.addVariable(FLOAT, dims);
    poputil::mapTensorLinearly(m.graph, t);
    m.graph.setInitialValue(t,
                            ArrayRef<float>(pattern.data(), t.numElements()));
    return t;
  };
  const Tensor x = variable(shape), param = variable({shape[1]});
  const Norm norm = add(m, Inputs{x, x, param, param}, stable, Whitened::kept);
  const Tensor all = concat({norm.mean, norm.y.flatten(), norm.dx.flatten(),
                             norm.dgamma, norm.dbeta});
  m.graph.createHostRead("all", all);
  Engine engine(m.graph, m.prog);
  engine.load(device);
  engine.run();
  std::vector<float> result(all.numElements());
  engine.readTensor("all", result.data(), result.data() + result.size());
  return result;
}

ReferenceArray array(std::vector<std::size_t> shape,
                     std::vector<float> values) {
  return {std::move(shape), std::move(values), {}, {}};
}

} // namespace

TEST(SampleNorm, MatchesPyTorch) { compareWithPyTorch(FLOAT, kFloat, kFloat); }

TEST(SampleNorm, MatchesPyTorchInHalf) {
  compareWithPyTorch(HALF, kHalf, kHalfSum);
}

TEST(SampleNorm, HasTheSameBitsOnAnyNumberOfThreads) {
  for (const auto &add : {addLayerNorm, addInstanceNorm}) {
    const std::vector<float> one = resultOn("1", add, kImages);
    EXPECT_EQ(one, resultOn("2", add, kImages));
    EXPECT_EQ(one, resultOn("3", add, kImages));
  }
}

TEST(LayerNorm, OfRowsIsItsDefinition) {
  const std::size_t rows = kRows[0], n = kRows[1];
  const double size = static_cast<double>(n);
  std::vector<double> means, y, dx, dgamma(n), dbeta(n);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto x = [&](std::size_t i) {
      return static_cast<double>(patternAt(row * n + i));
    };
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < n; ++i)
      mean += x(i) / size;
    for (std::size_t i = 0; i < n; ++i)
      variance += (x(i) - mean) * (x(i) - mean) / size;
    means.push_back(mean);
    const double inverse = 1 / std::sqrt(variance + kEpsilon);
    const auto whitened = [&](std::size_t i) {
      return (x(i) - mean) * inverse;
    };
    const auto gradient = [&](std::size_t i) { return x(i) * patternAt(i); };
    double ofProducts = 0, ofGradients = 0; // means
    for (std::size_t i = 0; i < n; ++i) {
      ofProducts += whitened(i) * gradient(i) / size;
      ofGradients += gradient(i) / size;
      dgamma[i] += whitened(i) * x(i);
      dbeta[i] += x(i);
      y.push_back(whitened(i) * patternAt(i) + patternAt(i));
    }
    for (std::size_t i = 0; i < n; ++i)
      dx.push_back((gradient(i) - ofGradients - whitened(i) * ofProducts) *
                   inverse);
  }
  std::vector<double> expected = means;
  for (const std::vector<double> *part : {&y, &dx, &dgamma, &dbeta})
    expected.insert(expected.end(), part->begin(), part->end());
  for (const bool stable : {false, true}) {
    const std::vector<float> fused = resultOn("2", addLayerNorm, kRows, stable);
    ASSERT_EQ(fused.size(), expected.size());
    for (std::size_t i = 0; i < fused.size(); ++i)
      ASSERT_NEAR(fused[i], expected[i], 1e-5 + 1e-5 * std::abs(expected[i]))
          << i;
    for (const char *threads : {"1", "3"})
      EXPECT_EQ(fused, resultOn(threads, addLayerNorm, kRows, stable));
    EXPECT_EQ(fused, resultOn("2", addLayerNorm, kRows, stable, "0"));
  }
}

TEST(LayerNorm, HasAMeanPerSample) {
  OperatorModel m;
  const ReferenceArray x = array({2, 2, 2}, {1, 2, 3, 6, 0, 0, 4, 4});
  const ReferenceArray means = array({2}, {3, 2});
  const ReferenceArray whitened =
      array({2, 2, 2}, {-1, -0.5f, 0, 1.5f, -1, -1, 1, 1});
  const Tensor t = m.input(FLOAT, x);
  const auto [mean, inverse] =
      ln::layerNormStatistics(m.graph, t, 0, m.prog, false);
  m.expect(mean, means, {0, 0}, "mean");
  const Tensor two = m.graph.addConstant(FLOAT, {2}, 0.5f);
  m.graph.setTileMapping(two, 0);
  m.expect(ln::layerNormWhiten(m.graph, t, mean, two, m.prog), whitened, {0, 0},
           "whitened");
  m.run();
}

TEST(InstanceNorm, HasAMeanPerSampleAndChannel) {
  OperatorModel m;
  const ReferenceArray x = array({2, 2, 2}, {1, 2, 3, 6, 0, 0, 4, 5});
  const ReferenceArray means = array({4}, {1.5f, 4.5f, 0, 4.5f});
  const ReferenceArray centred =
      array({2, 2, 2}, {-0.5f, 0.5f, -1.5f, 1.5f, 0, 0, -0.5f, 0.5f});
  const Tensor t = m.input(FLOAT, x);
  const auto [mean, inverse] =
      in::instanceNormStatistics(m.graph, t, 0, m.prog, false, false);
  m.expect(mean, means, {0, 0}, "mean");
  const Tensor one = m.graph.addConstant(FLOAT, {4}, 1.0f);
  m.graph.setTileMapping(one, 0);
  m.expect(in::instanceNormWhiten(m.graph, t, mean, one, m.prog), centred,
           {0, 0}, "centred");
  m.run();
}

TEST(SampleNorm, ParametersAreUpdatedInPlace) {
  OperatorModel m;
  const ReferenceArray delta = array({2}, {1, 2}), zero = array({2}, {0, 0});
  const ReferenceArray updated = array({2}, {0.75f, 1.5f});
  Tensor gamma = m.input(FLOAT, zero), beta = m.input(FLOAT, zero);
  const Tensor d = m.input(FLOAT, delta);
  const Tensor scale = m.graph.addConstant(FLOAT, {}, 0.25f);
  m.graph.setTileMapping(scale, 0);
  ln::layerNormParamUpdate(m.graph, d, d, 0.5f, gamma, beta, m.prog);
  in::instanceNormParamUpdate(m.graph, d, d, scale, gamma, beta, m.prog);
  m.expect(gamma, updated, {0, 0}, "gamma");
  m.expect(beta, updated, {0, 0}, "beta");
  m.run();
}

TEST(NormParameters, HaveOneElementPerChannelOfTheActivationsType) {
  OperatorModel m;
  for (const std::vector<std::size_t> &shape :
       {std::vector<std::size_t>{4, 6}, std::vector<std::size_t>{4, 6, 3}}) {
    const Tensor acts = m.graph.addVariable(HALF, shape);
    poputil::mapTensorLinearly(m.graph, acts);
    const auto [gamma, beta] = popnn::createNormParams(m.graph, acts);
    for (const Tensor &param : {gamma, beta}) {
      EXPECT_EQ(param.shape(), std::vector<std::size_t>{6});
      EXPECT_EQ(param.elementType(), HALF);
      EXPECT_NO_THROW(m.graph.getTileMapping(param)); // all elements have one
    }
  }
  const Tensor flat = m.graph.addVariable(HALF, {6});
  EXPECT_THROW(popnn::createNormParams(m.graph, flat), poputil::poplibs_error);
}

TEST(NormFlops, CountOperationsPerActivationAndPerStatistic) {
  EXPECT_EQ(popnn::getNormFwdFlops(10, 1000), 6050u);
  EXPECT_EQ(popnn::getNormFwdFlops(10, 1000, false), 2000u);
  EXPECT_EQ(popnn::getNormBwdFlops(10, 1000), 8020u);
  EXPECT_EQ(popnn::getNormWuFlops(10, 1000), 3040u);
  EXPECT_EQ(in::getFwdFlops(10, 100, true), 6050u);
  EXPECT_EQ(in::getBwdFlops(10, 100), 8020u);
  EXPECT_EQ(in::getWuFlops(10, 100), 3040u);
}
