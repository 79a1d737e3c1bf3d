// Gradients of convolutions where few elements of the result have one, as after
// max pooling.
#include "tests/support/instruction_sets.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>

#include <array>
#include <gtest/gtest.h>

using namespace poplar;

namespace {

using Extent = std::array<std::size_t, 3>;

struct Case {
  Extent field, kernel;
  std::size_t in, out; // channels
  unsigned oneIn = 5;  // elements that are not zero
};

const Case kCases[] = {
    {{1, 13, 13}, {1, 3, 3}, 32, 64},
    {{1, 6, 5}, {1, 3, 3}, 64, 32}, // rows of several parts
    {{1, 9, 7}, {1, 5, 2}, 19, 11}, // of vectors that are not full
    {{1, 7, 8}, {1, 4, 3}, 13, 3},  // fewer channels than a vector has
    {{4, 6, 5}, {2, 3, 3}, 12, 40},
    {{1, 1, 12}, {1, 1, 3}, 16, 70},
    {{1, 10, 10}, {1, 3, 3}, 16, 48, 1000}, // images without any
};
constexpr std::size_t kImages = 9;

struct Gradients {
  std::vector<float> images, weights; // channels last, [out, in, kernel...]
};

// Small, so that sums are exact.
float valueAt(std::size_t i) { return float(i * 7 % 11) - 5; }

Extent outputOf(const Case &c) {
  return {c.field[0] - c.kernel[0] + 1, c.field[1] - c.kernel[1] + 1,
          c.field[2] - c.kernel[2] + 1};
}

std::vector<float> imagesOf(const Case &c) {
  std::vector<float> x(kImages * c.field[0] * c.field[1] * c.field[2] * c.in);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = valueAt(i);
  return x;
}

std::vector<float> weightsOf(const Case &c) {
  std::vector<float> x(c.out * c.in * c.kernel[0] * c.kernel[1] * c.kernel[2]);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = valueAt(i + 3);
  return x;
}

std::vector<float> deltasOf(const Case &c) {
  const Extent output = outputOf(c);
  std::vector<float> x(kImages * output[0] * output[1] * output[2] * c.out);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = i * 2654435761u % 1009 % c.oneIn == 0 ? valueAt(i / 3) : 0.0f;
  return x;
}

Gradients run(const Case &c) {
  IPUModel model;
  model.tilesPerIPU = 4;
  model.memoryBytesPerTile = 16u << 20;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  const poplin::ConvParams params(
      FLOAT, kImages, {c.field.begin(), c.field.end()},
      {c.kernel.begin(), c.kernel.end()}, c.in, c.out, 1);
  const Tensor images = poplin::createInput(graph, params);
  const Tensor weights = poplin::createWeights(graph, params);
  const Tensor deltas = poplin::createConvOutput(graph, params);
  program::Sequence prog;
  const Tensor dWeights =
      poplin::calculateWeightDeltas(graph, deltas, images, params, prog);
  const Tensor dImages = poplin::convolution(
      graph, deltas, weights, poplin::getGradientParams(params), true, prog);
  graph.createHostWrite("images", images.dimRoll(1, 4));
  graph.createHostWrite("weights", weights);
  graph.createHostWrite("deltas", deltas.dimRoll(1, 4));
  graph.createHostRead("dImages", dImages.dimRoll(1, 4));
  graph.createHostRead("dWeights", dWeights);
  Engine engine(graph, prog);
  engine.load(device);
  const auto write = [&](const char *name, const std::vector<float> &x) {
    engine.writeTensor(name, x.data(), x.data() + x.size());
  };
  write("images", imagesOf(c));
  write("weights", weightsOf(c));
  write("deltas", deltasOf(c));
  engine.run();
  Gradients got{std::vector<float>(images.numElements()),
                std::vector<float>(weights.numElements())};
  engine.readTensor("dImages", got.images.data(),
                    got.images.data() + got.images.size());
  engine.readTensor("dWeights", got.weights.data(),
                    got.weights.data() + got.weights.size());
  return got;
}

// By the definition: every pair of elements that a kernel element connects.
Gradients reference(const Case &c) {
  const std::vector<float> images = imagesOf(c), weights = weightsOf(c),
                           deltas = deltasOf(c);
  Gradients result{std::vector<float>(images.size()),
                   std::vector<float>(weights.size())};
  const Extent output = outputOf(c);
  const std::size_t taps = c.kernel[0] * c.kernel[1] * c.kernel[2];
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    if (deltas[i] == 0)
      continue;
    const std::size_t channel = i % c.out, place = i / c.out;
    const std::size_t w = place % output[2], h = place / output[2] % output[1],
                      d = place / output[2] / output[1] % output[0],
                      n = place / output[2] / output[1] / output[0];
    for (std::size_t tap = 0; tap < taps; ++tap)
      for (std::size_t k = 0; k < c.in; ++k) {
        const std::size_t x = w + tap % c.kernel[2],
                          y = h + tap / c.kernel[2] % c.kernel[1],
                          z = d + tap / c.kernel[2] / c.kernel[1];
        const std::size_t pixel =
            (((n * c.field[0] + z) * c.field[1] + y) * c.field[2] + x) * c.in +
            k;
        const std::size_t weight = (channel * c.in + k) * taps + tap;
        result.images[pixel] += weights[weight] * deltas[i];
        result.weights[weight] += images[pixel] * deltas[i];
      }
  }
  return result;
}

} // namespace

TEST(SparseGradients, AreThoseOfTheDefinitionOnEveryInstructionSet) {
  for (const Case &c : kCases) {
    const Gradients expected = reference(c);
    onEveryInstructionSet([&] {
      const Gradients got = run(c);
      EXPECT_EQ(got.images, expected.images) << &c - kCases;
      EXPECT_EQ(got.weights, expected.weights) << &c - kCases;
    });
  }
}
