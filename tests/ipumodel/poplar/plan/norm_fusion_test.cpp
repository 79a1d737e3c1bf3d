// Element-wise operations with one value per channel, as those of a
// normalisation, are in one pass with what follows them.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace poplar;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr std::size_t kItems = 16, kChannels = 8;

enum class Then { convolution, sums };

struct Ran {
  std::vector<float> results;
  std::string explanation;
};

// Of images of `field` x `field`: subtracts a mean and scales, per channel, and
// then convolves or sums.
Ran run(std::size_t field, Then then, const char *fusion, const char *threads) {
  const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
  const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
  const ScopedEnv explain("IPUMODEL_EXPLAIN", "1");
  const Device device = IPUModel().createDevice();
  Graph graph(device.getTarget());
  const poplin::ConvParams params(FLOAT, kItems, {field, field}, {1, 1},
                                  kChannels, 3, 1);
  const Tensor in = poplin::createInput(graph, params, "in");
  const Tensor weights = poplin::createWeights(graph, params, "weights");
  const Tensor mean = graph.addVariable(FLOAT, {kChannels}, "mean");
  const Tensor scale = graph.addVariable(FLOAT, {kChannels}, "scale");
  poputil::mapTensorLinearly(graph, mean);
  poputil::mapTensorLinearly(graph, scale);
  const auto perChannel = [&](const Tensor &t) {
    return t.reshape({1, kChannels, 1, 1})
        .broadcast(kItems, 0)
        .broadcast(static_cast<unsigned>(field), 2)
        .broadcast(static_cast<unsigned>(field), 3);
  };
  using namespace popops::expr;
  program::Sequence prog;
  const Tensor centred =
      popops::map(graph, _1 - _2, {in, perChannel(mean)}, prog, {"centre"});
  const Tensor scaled = popops::map(
      graph, _1 * _2 + _1, {centred, perChannel(scale)}, prog, {"scale"});
  Tensor out;
  if (then == Then::convolution)
    out = poplin::convolution(graph, scaled, weights, params, false, prog,
                              {"conv"});
  else
    out = popops::reduce(graph, scaled, FLOAT, {0, 2, 3},
                         popops::Operation::ADD, prog, {"sums"});
  const Tensor all = concat(out.flatten(), centred.flatten());
  const Tensor given[] = {in, weights, mean, scale};
  for (std::size_t i = 0; i < 4; ++i)
    graph.createHostWrite(std::to_string(i), given[i]);
  graph.createHostRead("out", all);
  testing::internal::CaptureStderr();
  Engine engine(graph, prog);
  Ran ran;
  ran.explanation = testing::internal::GetCapturedStderr();
  engine.load(device);
  for (std::size_t i = 0; i < 4; ++i) {
    std::vector<float> values(given[i].numElements());
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = std::sin(static_cast<float>(k * 7 + i));
    engine.writeTensor(std::to_string(i), values.data(),
                       values.data() + values.size());
  }
  engine.run();
  ran.results.resize(all.numElements());
  engine.readTensor("out", ran.results.data(),
                    ran.results.data() + ran.results.size());
  return ran;
}

} // namespace

TEST(NormFusion, AConvolutionFollowsMapsInOneChain) {
  EXPECT_THAT(run(12, Then::convolution, "1", "1").explanation,
              HasSubstr("chain: 'centre' (popops.map), 'scale' (popops.map), "
                        "'conv' (poplin.convolution)"));
  EXPECT_THAT(run(2, Then::convolution, "1", "1").explanation,
              HasSubstr("chain: 'centre' (popops.map), 'scale'"));
}

TEST(NormFusion, SoDoSumsOfLargeItems) {
  EXPECT_THAT(run(12, Then::sums, "1", "1").explanation,
              HasSubstr("chain: 'centre' (popops.map), 'scale' (popops.map), "
                        "'sums' (popops.reduce)"));
  EXPECT_THAT(run(2, Then::sums, "1", "1").explanation,
              Not(HasSubstr("fusion: chain:")));
}

TEST(NormFusion, WithTheSameBitsOnAnyThreads) {
  for (const std::size_t field : {2, 12})
    for (const Then then : {Then::convolution, Then::sums}) {
      const std::vector<float> apart = run(field, then, "0", "1").results;
      for (const char *threads : {"1", "2", "4"})
        EXPECT_EQ(run(field, then, "1", threads).results, apart);
    }
}
