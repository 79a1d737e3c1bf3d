// Convolutions of images that are padded or dilated with zeros, as gradients
// are: batches large enough to run image by image use different code than small
// ones.
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
  Sizes field, kernel; // of the forward convolution
  std::size_t inChannels, outChannels;
  unsigned padding = 0, stride = 1;
};

const Case kCases[] = {
    {{13, 13}, {3, 3}, 32, 64}, // conv-1 of the cnn preset
    {{3, 3}, {3, 3}, 5, 7},     // one output element
    {{4, 9}, {3, 5}, 19, 3},
    {{6, 6}, {1, 1}, 4, 33},
    {{7, 3}, {6, 2}, 16, 16},
    {{11}, {4}, 20, 6},
    {{4, 5, 6}, {2, 3, 2}, 3, 9},
    {{8, 8}, {3, 3}, 4, 6, 1},
    {{16, 16}, {3, 3}, 16, 32, 1, 2},
    {{9, 9}, {3, 3}, 3, 5, 1, 2},
    {{8, 8}, {1, 1}, 5, 4, 0, 2}, // most of the gradient is zero
    {{10, 7}, {5, 4}, 3, 4, 2, 3},
    {{1, 1}, {3, 3}, 6, 5, 1}, // smaller than the kernel
    {{13}, {3}, 4, 3, 0, 4},   // elements that no window reads
    {{4, 5, 6}, {3, 3, 3}, 2, 3, 1, 2},
};

enum class Pass { forward, backward };

poplin::ConvParams paramsOf(const Case &c, std::size_t images) {
  poplin::ConvParams params(FLOAT, images, c.field, c.kernel, c.inChannels,
                            c.outChannels, 1);
  const std::vector<unsigned> padding(c.field.size(), c.padding);
  params.inputTransform.paddingLower = params.inputTransform.paddingUpper =
      padding;
  params.outputTransform.stride.assign(c.field.size(), c.stride);
  return params;
}

// Small, none of them zero, so that sums are exact.
std::vector<float> values(std::size_t n, unsigned first) {
  std::vector<float> result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(static_cast<float>((first + i * 7) % 13) - 6.5f);
  return result;
}

// Of images [first, first + count) of kImages: the result, in the order of
// [image, channel, field...].
std::vector<float> run(const Case &c, Pass pass, std::size_t first,
                       std::size_t count) {
  IPUModel model;
  model.tilesPerIPU = 4;
  model.memoryBytesPerTile = 16u << 20;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  const poplin::ConvParams params = paramsOf(c, count);
  const bool isForward = pass == Pass::forward;
  const Tensor in = isForward ? poplin::createInput(graph, params)
                              : poplin::createConvOutput(graph, params);
  const Tensor w = poplin::createWeights(graph, params);
  program::Sequence prog;
  const Tensor out = poplin::convolution(
      graph, in, w, isForward ? params : poplin::getGradientParams(params),
      !isForward, prog);
  graph.createHostWrite("in", in);
  graph.createHostWrite("w", w);
  graph.createHostRead("out", out);
  Engine engine(graph, prog);
  engine.load(device);
  const std::size_t each = in.numElements() / count;
  const std::vector<float> all = values(each * kImages, 1);
  engine.writeTensor("in", all.data() + first * each,
                     all.data() + (first + count) * each);
  const std::vector<float> weights = values(w.numElements(), 2);
  engine.writeTensor("w", weights.data(), weights.data() + weights.size());
  engine.run();
  std::vector<float> result(out.numElements());
  engine.readTensor("out", result.data(), result.data() + result.size());
  return result;
}

// As three dimensions, the first ones of size `fill` if there are fewer.
std::array<std::size_t, 3> three(const Sizes &sizes, std::size_t fill) {
  std::array<std::size_t, 3> result{fill, fill, fill};
  std::copy(sizes.begin(), sizes.end(), result.end() - sizes.size());
  return result;
}

// The same by the definition, for all images: every pair of elements that a
// kernel element connects.
std::vector<float> reference(const Case &c, Pass pass) {
  const poplin::ConvParams params = paramsOf(c, kImages);
  const auto field = three(c.field, 1), kernel = three(c.kernel, 1);
  const auto output = three(params.getOutputFieldShape(), 1);
  const auto stride = three(Sizes(c.field.size(), c.stride), 1);
  const auto padding = three(Sizes(c.field.size(), c.padding), 0);
  const std::size_t fieldSize = field[0] * field[1] * field[2];
  const std::size_t outputSize = output[0] * output[1] * output[2];
  const std::size_t taps = kernel[0] * kernel[1] * kernel[2];
  const bool isForward = pass == Pass::forward;
  const std::size_t inSize = kImages * c.inChannels * fieldSize;
  const std::size_t outSize = kImages * c.outChannels * outputSize;
  const std::vector<float> given = values(isForward ? inSize : outSize, 1);
  const std::vector<float> weights =
      values(c.inChannels * c.outChannels * taps, 2);
  std::vector<float> result(isForward ? outSize : inSize, 0.0f);
  for (std::size_t o = 0; o < outputSize; ++o)
    for (std::size_t k = 0; k < taps; ++k) {
      const std::array<std::size_t, 3> at{o / (output[1] * output[2]),
                                          o / output[2] % output[1],
                                          o % output[2]};
      const std::array<std::size_t, 3> tap{k / (kernel[1] * kernel[2]),
                                           k / kernel[2] % kernel[1],
                                           k % kernel[2]};
      std::size_t f = 0;
      bool isInside = true;
      for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t place = at[d] * stride[d] + tap[d];
        isInside =
            isInside && place >= padding[d] && place - padding[d] < field[d];
        f = f * field[d] + (place - padding[d]);
      }
      if (!isInside)
        continue;
      for (std::size_t n = 0; n < kImages; ++n)
        for (std::size_t x = 0; x < c.inChannels; ++x)
          for (std::size_t y = 0; y < c.outChannels; ++y) {
            const std::size_t i = (n * c.inChannels + x) * fieldSize + f;
            const std::size_t j = (n * c.outChannels + y) * outputSize + o;
            const float weight = weights[(y * c.inChannels + x) * taps + k];
            (isForward ? result[j] : result[i]) +=
                weight * given[isForward ? i : j];
          }
    }
  return result;
}

std::string nameOf(const Case &c) {
  return testing::PrintToString(c.field) + " by " +
         testing::PrintToString(c.kernel) + ", padding " +
         std::to_string(c.padding) + ", stride " + std::to_string(c.stride);
}

} // namespace

TEST(SkippingConvolution, IsWhatItsDefinitionSaysInBothDirections) {
  for (const Case &c : kCases)
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      SCOPED_TRACE(nameOf(c));
      EXPECT_EQ(run(c, pass, 0, kImages), reference(c, pass));
    }
}

TEST(SkippingConvolution, DoesNotDependOnTheBatch) {
  for (const Case &c : kCases)
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      SCOPED_TRACE(nameOf(c));
      const std::vector<float> together = run(c, pass, 0, kImages);
      std::vector<float> apart;
      for (std::size_t image = 0; image < kImages; ++image) {
        const std::vector<float> one = run(c, pass, image, 1);
        apart.insert(apart.end(), one.begin(), one.end());
      }
      EXPECT_EQ(together, apart);
    }
}

TEST(SkippingConvolution, NorOnTheThreads) {
  for (const Case &c : {kCases[0], kCases[8]})
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      const ScopedEnv one("IPUMODEL_THREADS", "1");
      const std::vector<float> alone = run(c, pass, 0, kImages);
      const ScopedEnv four("IPUMODEL_THREADS", "4");
      EXPECT_EQ(alone, run(c, pass, 0, kImages));
    }
}

// Which convolutions of images that are copied first cannot.
TEST(SkippingConvolution, JoinsAChainThoughItsImagesArePadded) {
  const ScopedEnv explain("IPUMODEL_EXPLAIN", "1");
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    testing::internal::CaptureStderr();
    run(kCases[8], pass, 0, kImages);
    EXPECT_EQ(testing::internal::GetCapturedStderr().find("all at once"),
              std::string::npos);
  }
}
