// Batch normalisation of images whose channels are innermost in memory, with
// its gradients, against a plain version in double precision.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/NonLinearity.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>

using namespace poplar;

namespace {

constexpr float kEpsilon = 0.25f;

struct Case {
  std::size_t items, channels, lines, columns;
  std::size_t positions() const { return lines * columns; }
  std::size_t each() const { return items * positions(); } // of a channel
  std::size_t size() const { return channels * each(); }
};

const Case kCases[] = {
    {8, 8, 4, 2}, {9, 19, 5, 3} /* all sizes of vectors */, {17, 72, 3, 7}};

// Images are [item, line, column, channel].
struct Values {
  std::vector<float> x, g, gamma, beta;
  explicit Values(const Case &c)
      : x(c.size()), g(c.size()), gamma(c.channels), beta(c.channels) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0.5f, 1);
    for (std::vector<float> *all : {&x, &g, &gamma, &beta})
      for (float &value : *all)
        value = normal(random);
  }
};

// y, dx, dgamma and dbeta, one after the other; y after a ReLU.
template <class T>
std::vector<T> reference(const Case &c, const Values &values) {
  std::vector<T> y(c.size()), dx(c.size()), dgamma, dbeta;
  const T n = T(c.each());
  for (std::size_t k = 0; k < c.channels; ++k) {
    T mean = 0, power = 0, products = 0, gradients = 0;
    for (std::size_t i = k; i < c.size(); i += c.channels) {
      mean += values.x[i] / n;
      power += T(values.x[i]) * values.x[i] / n;
    }
    const T inverse = 1 / std::sqrt(power - mean * mean + kEpsilon);
    for (std::size_t i = k; i < c.size(); i += c.channels) {
      const T whitened = (values.x[i] - mean) * inverse;
      y[i] = std::max<T>(0, whitened * values.gamma[k] + values.beta[k]);
      products += whitened * values.g[i];
      gradients += values.g[i];
    }
    for (std::size_t i = k; i < c.size(); i += c.channels)
      dx[i] = inverse * values.gamma[k] *
              (values.g[i] - gradients / n -
               (values.x[i] - mean) * inverse * products / n);
    dgamma.push_back(products);
    dbeta.push_back(gradients);
  }
  std::vector<T> all;
  for (const std::vector<T> *part : {&y, &dx, &dgamma, &dbeta})
    all.insert(all.end(), part->begin(), part->end());
  return all;
}

std::vector<float> run(const Case &c, const Values &values, const char *fusion,
                       const char *threads) {
  const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
  const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
  const Device device = IPUModel().createDevice();
  Graph graph(device.getTarget());
  const auto add = [&](const std::vector<std::size_t> &shape) {
    const Tensor t = graph.addVariable(FLOAT, shape);
    poputil::mapTensorLinearly(graph, t);
    return t;
  };
  const auto addImages = [&] {
    return add({c.items, c.lines, c.columns, c.channels}).dimRoll(3, 1);
  };
  const Tensor x = addImages(), g = addImages();
  const Tensor gamma = add({c.channels}), beta = add({c.channels});
  program::Sequence prog;
  namespace bn = popnn::bn;
  const auto [mean, inverse] =
      bn::batchNormStatistics(graph, x, kEpsilon, prog, false, false);
  const auto [y, whitened] =
      bn::batchNormalise(graph, x, gamma, beta, mean, inverse, prog);
  popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::RELU, y, prog);
  const auto [dgamma, dbeta] =
      bn::batchNormParamGradients(graph, whitened, g, prog);
  const Tensor dx =
      bn::batchNormGradients(graph, whitened, g, inverse, gamma, prog);
  const Tensor all =
      concat({y.dimRoll(1, 3).flatten(), dx.dimRoll(1, 3).flatten(),
              dgamma.flatten(), dbeta.flatten()});
  const std::pair<Tensor, const std::vector<float> *> inputs[] = {
      {x.dimRoll(1, 3), &values.x},
      {g.dimRoll(1, 3), &values.g},
      {gamma, &values.gamma},
      {beta, &values.beta}};
  for (std::size_t i = 0; i < 4; ++i)
    graph.createHostWrite(std::to_string(i), inputs[i].first);
  graph.createHostRead("all", all);
  Engine engine(graph, prog);
  engine.load(device);
  for (std::size_t i = 0; i < 4; ++i)
    engine.writeTensor(std::to_string(i), inputs[i].second->data(),
                       inputs[i].second->data() + inputs[i].second->size());
  engine.run();
  std::vector<float> results(all.numElements());
  engine.readTensor("all", results.data(), results.data() + results.size());
  return results;
}

} // namespace

TEST(ChannelNorm, IsWhatItsDefinitionSays) {
  for (const Case &c : kCases) {
    const Values values(c);
    const std::vector<float> got = run(c, values, "1", "2");
    const std::vector<double> exact = reference<double>(c, values);
    ASSERT_EQ(got.size(), exact.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], exact[i],
                  1e-5 * (1 + std::abs(exact[i])) +
                      (i < 2 * c.size() ? 0.0 : 1e-4))
          << c.channels << " channels, element " << i;
  }
}

TEST(ChannelNorm, HasTheSameBitsFusedOrNotOnAnyThreads) {
  for (const Case &c : kCases) {
    const Values values(c);
    const std::vector<float> apart = run(c, values, "0", "1");
    for (const char *threads : {"1", "2", "4"}) {
      EXPECT_EQ(run(c, values, "1", threads), apart);
      EXPECT_EQ(run(c, values, "0", threads), apart);
    }
  }
}

TEST(ChannelNorm, AlsoDoesAReLUInPlace) {
  const ScopedEnv explain("IPUMODEL_EXPLAIN", "1");
  testing::internal::CaptureStderr();
  run(kCases[2], Values(kCases[2]), "1", "1");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("epilogue: '' (poplin.channelMap) also does"));
}
