// Gradients of convolutions where few elements of the result have one, as after
// max pooling.
#include "tests/support/instruction_sets.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>

#include <array>
#include <gtest/gtest.h>
#include <memory>

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

struct Values {
  std::vector<float> images, weights, deltas;

  // One of `oneIn` elements of the result has a gradient.
  Values(const Case &c, unsigned oneIn) {
    const Extent output = outputOf(c);
    images.resize(kImages * c.field[0] * c.field[1] * c.field[2] * c.in);
    weights.resize(c.out * c.in * c.kernel[0] * c.kernel[1] * c.kernel[2]);
    deltas.resize(kImages * output[0] * output[1] * output[2] * c.out);
    for (std::size_t i = 0; i < images.size(); ++i)
      images[i] = valueAt(i);
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = valueAt(i + oneIn);
    for (std::size_t i = 0; i < deltas.size(); ++i)
      if (i * 2654435761u % 1009 % oneIn == 0)
        deltas[i] = valueAt(i / 3);
  }
};

class Convolution {
public:
  explicit Convolution(const Case &c) {
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
    engine_ = std::make_unique<Engine>(graph, prog);
    engine_->load(device);
  }

  Gradients run(const Values &values) {
    write("images", values.images);
    write("weights", values.weights);
    write("deltas", values.deltas);
    engine_->run();
    return {read("dImages", values.images.size()),
            read("dWeights", values.weights.size())};
  }

private:
  void write(const char *name, const std::vector<float> &x) {
    engine_->writeTensor(name, x.data(), x.data() + x.size());
  }
  std::vector<float> read(const char *name, std::size_t size) {
    std::vector<float> x(size);
    engine_->readTensor(name, x.data(), x.data() + x.size());
    return x;
  }

  std::unique_ptr<Engine> engine_;
};

// By the definition: every pair of elements that a kernel element connects.
Gradients reference(const Case &c, const Values &values) {
  const auto &[images, weights, deltas] = values;
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
    const Values values(c, c.oneIn);
    const Gradients expected = reference(c, values);
    onEveryInstructionSet([&] {
      const Gradients got = Convolution(c).run(values);
      EXPECT_EQ(got.images, expected.images) << &c - kCases;
      EXPECT_EQ(got.weights, expected.weights) << &c - kCases;
    });
  }
}

// Other weights in each batch.
TEST(SparseGradients, MayFollowThoseThatAreNotSparse) {
  const Case &c = kCases[1];
  Convolution convolution(c);
  for (const unsigned oneIn : {5, 1, 4, 6, 1, 1, 7}) {
    const Values values(c, oneIn);
    const Gradients expected = reference(c, values);
    const Gradients got = convolution.run(values);
    EXPECT_EQ(got.images, expected.images) << oneIn;
    EXPECT_EQ(got.weights, expected.weights) << oneIn;
  }
}
