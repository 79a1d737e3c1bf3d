#include "tests/ipumodel/operator_model.hpp"

#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplibstest;
namespace bn = popnn::bn;
namespace gn = popnn::gn;

namespace {

// As in make_references.py.
constexpr float kEpsilon = 0.25f;

// Sums of up to 625 elements below 4 in another order, and a square root.
constexpr Tolerance kFloat{1e-4, 1e-4};
// A mean below 4 is rounded by up to 2^-10, so whitened activations have an
// error of 3 * 2^-10: the inverse standard deviation is at most 2, and they are
// rounded too. Gradients have that error times twice their size, below 4, and
// three roundings of it, all times the inverse standard deviation.
constexpr Tolerance kHalf{0x1p-4, 0};
// The errors of a channel's whitened activations have the same sign; sums of up
// to 625 gradients of any sign are below 75, and their products are rounded.
constexpr Tolerance kHalfSum{0.25, 0};

struct Norm {
  Tensor y, dx, dgamma, dbeta;
};

// Whitens again for the gradients, or reuses the result of the forward pass.
enum class Whitened { again, kept };

Norm addNorm(OperatorModel &m, const ReferenceCase &c, const Type &type,
             bool stable, Whitened whitened) {
  const Tensor x = m.input(type, c.array("x")), g = m.input(type, c.array("g"));
  const Tensor gamma = m.input(type, c.array("gamma"));
  const Tensor beta = m.input(type, c.array("beta"));
  const auto groups = static_cast<unsigned>(c.number("groups"));
  const bool kept = whitened == Whitened::kept;
  Graph &graph = m.graph;
  if (groups == 0) {
    const auto [mean, inverse] = bn::batchNormStatistics(
        graph, x, kEpsilon, m.prog, false, stable, FLOAT);
    const auto [y, w] =
        bn::batchNormalise(graph, x, gamma, beta, mean, inverse, m.prog);
    const auto [dgamma, dbeta] =
        kept ? bn::batchNormParamGradients(graph, w, g, m.prog)
             : bn::batchNormParamGradients(graph, x, g, mean, inverse, m.prog);
    const Tensor dx =
        kept
            ? bn::batchNormGradients(graph, w, g, inverse, gamma, m.prog)
            : bn::batchNormGradients(graph, x, g, mean, inverse, gamma, m.prog);
    return {y, dx, dgamma, dbeta};
  }
  const auto [mean, inverse] = gn::groupNormStatistics(
      graph, x, kEpsilon, m.prog, groups, false, stable, FLOAT);
  EXPECT_EQ(mean.numElements(), x.dim(0) * groups);
  const auto [y, w] =
      gn::groupNormalise(graph, x, gamma, beta, mean, inverse, m.prog);
  const auto [dgamma, dbeta] =
      kept ? gn::groupNormParamGradients(graph, w, g, m.prog)
           : gn::groupNormParamGradients(graph, x, g, mean, inverse, m.prog);
  const Tensor dx =
      kept ? gn::groupNormGradients(graph, w, g, inverse, gamma, m.prog)
           : gn::groupNormGradients(graph, x, g, mean, inverse, gamma, m.prog);
  return {y, dx, dgamma, dbeta};
}

void compareWithPyTorch(const Type &type, Tolerance tolerance,
                        Tolerance ofSums) {
  const std::vector<ReferenceCase> cases = references("norm");
  EXPECT_GE(cases.size(), 24u);
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

ReferenceArray array(std::vector<std::size_t> shape,
                     std::vector<float> values) {
  return {std::move(shape), std::move(values), {}, {}};
}

} // namespace

TEST(Norm, MatchesPyTorch) { compareWithPyTorch(FLOAT, kFloat, kFloat); }

TEST(Norm, MatchesPyTorchInHalf) { compareWithPyTorch(HALF, kHalf, kHalfSum); }

TEST(Norm, AnUnbiasedEstimateAlsoScalesEpsilon) {
  OperatorModel m;
  const ReferenceArray x = array({4, 1}, {1, 2, 3, 6}); // variance 3.5
  const ReferenceArray means = array({1}, {3});
  const ReferenceArray inverse =
      array({1}, {1 / std::sqrt((3.5f + 0.5f) * 4 / 3)});
  const Tensor t = m.input(FLOAT, x);
  for (const bool stable : {false, true}) {
    const auto [mean, inverseStdDev] =
        poplin::normStatistics(m.graph, t, 0.5f, m.prog, true, stable);
    m.expect(mean, means, {0, 1e-6}, "mean");
    m.expect(inverseStdDev, inverse, {0, 1e-6}, "inverse standard deviation");
  }
  m.run();
}

// Without the stable algorithm the variance cancels, and the result is 0
// instead of negative.
TEST(Norm, TheStableAlgorithmSurvivesALargeMean) {
  OperatorModel m;
  const ReferenceArray x = array({2, 1}, {4095, 4097});
  const ReferenceArray one = array({1}, {1}), large = array({1}, {1000});
  const ReferenceArray same = array({2, 1}, {3, 3});
  const Tensor t = m.input(FLOAT, x), h = m.input(HALF, same);
  m.expect(poplin::normStatistics(m.graph, t, 0, m.prog, false, true).second,
           one, {0, 1e-6}, "stable");
  m.expect(poplin::normStatistics(m.graph, h, 1e-6f, m.prog, false).second,
           large, {0, 1e-3}, "no variance");
  m.run();
}

TEST(GroupNorm, GroupsMayBeStrided) {
  OperatorModel m;
  const ReferenceArray x = array({1, 4}, {1, 10, 3, 30});
  const ReferenceArray adjacent = array({2}, {5.5f, 16.5f});
  const ReferenceArray strided = array({2}, {2, 20});
  const ReferenceArray whitened = array({1, 4}, {-1, -1, 1, 1});
  const OptionFlags apart{{"groupNormStridedChannelGrouping", "true"}};
  const Tensor t = m.input(FLOAT, x);
  const auto [mean, inverse] = gn::groupNormStatistics(
      m.graph, t, 0, m.prog, 2, false, false, FLOAT, {}, apart);
  m.expect(mean, strided, {1e-6, 0}, "strided");
  m.expect(gn::groupNormWhiten(m.graph, t, mean, inverse, m.prog, {}, apart),
           whitened, {1e-5, 0}, "whitened");
  const ReferenceArray gamma = array({4}, {1, 2, 3, 4});
  const ReferenceArray beta = array({4}, {0, 0, 1, 1});
  const ReferenceArray normalised = array({1, 4}, {-1, -2, 4, 5});
  const auto [y, w] = gn::groupNormalise(m.graph, t, m.input(FLOAT, gamma),
                                         m.input(FLOAT, beta), mean, inverse,
                                         m.prog, {}, apart);
  m.expect(y, normalised, {1e-5, 0}, "normalised");
  m.expect(w, whitened, {1e-5, 0}, "whitened on the way");
  m.expect(gn::groupNormStatistics(m.graph, t, 0, m.prog, 2, false).first,
           adjacent, {1e-6, 0}, "adjacent");
  m.run();
}

TEST(BatchNorm, ParametersAreUpdatedInPlace) {
  OperatorModel m;
  const ReferenceArray delta = array({2}, {1, 2}), zero = array({2}, {0, 0});
  const ReferenceArray gammas = array({2}, {0.75f, 1.5f});
  const ReferenceArray betas = array({2}, {0.75f, 1.5f});
  Tensor gamma = m.input(FLOAT, zero), beta = m.input(FLOAT, zero);
  const Tensor d = m.input(FLOAT, delta);
  const Tensor scale = m.graph.addConstant(FLOAT, {}, 0.25f);
  m.graph.setTileMapping(scale, 0);
  bn::batchNormParamUpdate(m.graph, d, d, 0.5f, gamma, beta, m.prog);
  gn::groupNormParamUpdate(m.graph, d, d, scale, gamma, beta, m.prog);
  m.expect(gamma, gammas, {0, 0}, "gamma");
  m.expect(beta, betas, {0, 0}, "beta");
  m.run();
}

TEST(BatchNorm, IsAScaleAndAnOffsetOnceItIsTrained) {
  OperatorModel m;
  const ReferenceArray x = array({2, 2}, {1, 2, 3, 4});
  const ReferenceArray by = array({2}, {2, 10}), plus = array({2}, {-1, 1});
  const ReferenceArray y = array({2, 2}, {1, 21, 5, 41});
  m.expect(bn::batchNormalise(m.graph, m.input(FLOAT, x), m.input(FLOAT, by),
                              m.input(FLOAT, plus), m.prog),
           y, {0, 0}, "y");
  m.run();
}

// The callback replaces a second replica with the same activations: both
// together have the same statistics.
TEST(BatchNorm, StatisticsOfReplicasAreSummed) {
  OperatorModel m;
  const ReferenceArray x = array({2, 1, 2}, {1, 2, 4, 9});
  const ReferenceArray g = array({2, 1, 2}, {1, 0, 0.5f, 2});
  const ReferenceArray ones = array({1}, {1});
  const Tensor acts = m.input(FLOAT, x), grads = m.input(FLOAT, g);
  const Tensor gamma = m.input(FLOAT, ones);
  unsigned calls = 0;
  const poplin::DistributedNormReduceCallback twice =
      [&](Graph &graph, const std::vector<Tensor> &parts,
          program::Sequence &prog, unsigned groupSize, const DebugContext &,
          const OptionFlags &) {
        ++calls;
        EXPECT_EQ(groupSize, 2u);
        std::vector<Tensor> sums;
        for (const Tensor &part : parts)
          sums.push_back(popops::add(graph, part, part, prog));
        return sums;
      };
  const auto difference = [&](const Tensor &a, const Tensor &b) {
    return popops::sub(m.graph, a, b, m.prog);
  };
  const ReferenceArray none = array({1}, {0});
  const ReferenceArray noGradient = array({2, 1, 2}, {0, 0, 0, 0});
  for (const bool stable : {false, true}) {
    const auto [mean, inverse] =
        bn::batchNormStatistics(m.graph, acts, 0.1f, m.prog, false, stable);
    const auto [mean2, inverse2] = bn::distributedBatchNormStatistics(
        m.graph, acts, 0.1f, m.prog, false, twice, 4, stable);
    m.expect(difference(mean, mean2), none, {1e-6, 0}, "mean");
    m.expect(difference(inverse, inverse2), none, {1e-6, 0}, "inverse");
    m.expect(difference(bn::batchNormGradients(m.graph, acts, grads, mean,
                                               inverse, gamma, m.prog),
                        bn::distributedBatchNormGradients(m.graph, acts, grads,
                                                          mean, inverse, gamma,
                                                          m.prog, twice, 4)),
             noGradient, {1e-6, 0}, "gradient");
  }
  EXPECT_EQ(calls, 1u + 2u + 2u); // the stable algorithm sums twice
  // One replica alone has nothing to sum; a part of one is impossible.
  bn::distributedBatchNormStatistics(m.graph, acts, 0, m.prog, false, twice, 2);
  EXPECT_EQ(calls, 5u);
  EXPECT_THROW(bn::distributedBatchNormStatistics(m.graph, acts, 0, m.prog,
                                                  false, twice, 3),
               poputil::poplibs_error);
  m.run();
}

TEST(Norm, MisuseIsRefused) {
  OperatorModel m;
  const ReferenceArray six = array({1, 6}, {1, 2, 3, 4, 5, 6});
  const Tensor t = m.input(FLOAT, six);
  EXPECT_THROW(poplin::normStatistics(m.graph, t.flatten(), 0, m.prog, false),
               poputil::poplibs_error);
  EXPECT_THROW(gn::groupNormStatistics(m.graph, t, 0, m.prog, 4, false),
               poputil::poplibs_error);
  EXPECT_THROW(gn::groupNormStatistics(m.graph, t, 0, m.prog, 2, false, false,
                                       FLOAT, {}, {{"strided", "true"}}),
               invalid_option);
}
