// The gradient of a convolution's input without zeros: batches large enough to
// run image by image use different code than small ones.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>

#include <gtest/gtest.h>

using namespace poplar;
using Sizes = std::vector<std::size_t>;

namespace {

constexpr std::size_t kImages = 9;

struct Case {
  Sizes field, kernel; // of the convolution's input
  std::size_t inChannels, outChannels;
};

const Case kCases[] = {
    {{13, 13}, {3, 3}, 32, 64}, // conv-1 of the cnn preset
    {{3, 3}, {3, 3}, 5, 7},     // one output element
    {{4, 9}, {3, 5}, 19, 3},      {{6, 6}, {1, 1}, 4, 33},
    {{7, 3}, {6, 2}, 16, 16},     {{11}, {4}, 20, 6},
    {{4, 5, 6}, {2, 3, 2}, 3, 9},
};

// Small integers, none of them zero, so that sums are exact.
std::vector<float> values(std::size_t n, unsigned first) {
  std::vector<float> result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(static_cast<float>((first + i * 7) % 13) - 6.5f);
  return result;
}

// The gradient of images [first, first + count) of kImages.
std::vector<float> gradient(const Case &c, std::size_t first,
                            std::size_t count) {
  IPUModel model;
  model.tilesPerIPU = 4;
  model.memoryBytesPerTile = 16u << 20;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  const poplin::ConvParams params(FLOAT, count, c.field, c.kernel, c.inChannels,
                                  c.outChannels, 1);
  const Tensor dz = poplin::createConvOutput(graph, params);
  const Tensor w = poplin::createWeights(graph, params);
  program::Sequence prog;
  const Tensor dx = poplin::convolution(
      graph, dz, w, poplin::getGradientParams(params), true, prog);
  graph.createHostWrite("dz", dz);
  graph.createHostWrite("w", w);
  graph.createHostRead("dx", dx);
  Engine engine(graph, prog);
  engine.load(device);
  const std::size_t each = dz.numElements() / count;
  const std::vector<float> all = values(each * kImages, 1);
  engine.writeTensor("dz", all.data() + first * each,
                     all.data() + (first + count) * each);
  const std::vector<float> weights = values(w.numElements(), 2);
  engine.writeTensor("w", weights.data(), weights.data() + weights.size());
  engine.run();
  std::vector<float> result(dx.numElements());
  engine.readTensor("dx", result.data(), result.data() + result.size());
  return result;
}

} // namespace

TEST(FullConvolution, ADenseGradientDoesNotDependOnTheBatch) {
  for (const Case &c : kCases) {
    SCOPED_TRACE(testing::PrintToString(c.field) + " by " +
                 testing::PrintToString(c.kernel));
    const std::vector<float> together = gradient(c, 0, kImages);
    std::vector<float> apart;
    for (std::size_t image = 0; image < kImages; ++image) {
      const std::vector<float> one = gradient(c, image, 1);
      apart.insert(apart.end(), one.begin(), one.end());
    }
    EXPECT_EQ(together, apart);
  }
}

TEST(FullConvolution, NorOnTheThreads) {
  const ScopedEnv one("IPUMODEL_THREADS", "1");
  const std::vector<float> alone = gradient(kCases[0], 0, kImages);
  const ScopedEnv four("IPUMODEL_THREADS", "4");
  EXPECT_EQ(alone, gradient(kCases[0], 0, kImages));
}
