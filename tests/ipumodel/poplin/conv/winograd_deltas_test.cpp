// Gradients of 3x3 kernels of padded and other images, those with enough
// channels by Winograd's method.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace poplar;

namespace {

struct Case {
  std::size_t lines, columns, in, out;
  unsigned padding, stride;
  bool isWinograd;
  std::size_t images = 11;

  std::size_t outLines() const {
    return (lines + 2 * padding - 3) / stride + 1;
  }
  std::size_t outColumns() const {
    return (columns + 2 * padding - 3) / stride + 1;
  }
};

const Case kCases[] = {
    {8, 8, 64, 64, 1, 1, true}, // several images are collected
    {16, 16, 32, 32, 1, 1, true},    {9, 12, 37, 21, 1, 1, true},
    {20, 23, 16, 17, 0, 1, true, 8}, // and images in several parts
    {8, 8, 3, 16, 1, 1, false},      {9, 8, 16, 32, 1, 2, false},
    {7, 7, 130, 70, 1, 1, false, 8}, // too large a kernel
};

struct Values {
  std::vector<float> images, deltas; // channels last

  explicit Values(const Case &c)
      : images(c.images * c.lines * c.columns * c.in),
        deltas(c.images * c.outLines() * c.outColumns() * c.out) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0.2f, 1);
    for (std::vector<float> *all : {&images, &deltas})
      for (float &x : *all)
        x = normal(random);
  }
  void round() {
    for (std::vector<float> *all : {&images, &deltas})
      for (float &x : *all)
        x = std::round(3 * x);
  }
};

// [kernel, kernel, in, out]
std::vector<float> run(const Case &c, const Values &values) {
  IPUModel model;
  model.tilesPerIPU = 4;
  model.memoryBytesPerTile = 64u << 20;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  poplin::ConvParams params(FLOAT, c.images, {c.lines, c.columns}, {3, 3}, c.in,
                            c.out, 1);
  params.inputTransform.paddingLower = {c.padding, c.padding};
  params.inputTransform.paddingUpper = {c.padding, c.padding};
  params.outputTransform.stride = {c.stride, c.stride};
  const Tensor in = poplin::createInput(graph, params);
  const Tensor deltas = poplin::createConvOutput(graph, params);
  program::Sequence prog;
  const Tensor gradient =
      poplin::calculateWeightDeltas(graph, deltas, in, params, prog);
  graph.createHostWrite("in", in.dimRoll(1, 3));
  graph.createHostWrite("deltas", deltas.dimRoll(1, 3));
  graph.createHostRead("gradient", gradient[0].dimShuffle({2, 3, 1, 0}));
  Engine engine(graph, prog);
  engine.load(device);
  engine.writeTensor("in", values.images.data(),
                     values.images.data() + values.images.size());
  engine.writeTensor("deltas", values.deltas.data(),
                     values.deltas.data() + values.deltas.size());
  engine.run();
  std::vector<float> result(gradient.numElements());
  engine.readTensor("gradient", result.data(), result.data() + result.size());
  return result;
}

template <class T>
std::vector<T> reference(const Case &c, const Values &values) {
  std::vector<T> result(9 * c.in * c.out);
  const float *delta = values.deltas.data();
  for (std::size_t n = 0; n < c.images; ++n)
    for (std::size_t y = 0; y < c.outLines(); ++y)
      for (std::size_t x = 0; x < c.outColumns(); ++x, delta += c.out)
        for (std::size_t tap = 0; tap < 9; ++tap) {
          const std::size_t h = y * c.stride + tap / 3 - c.padding;
          const std::size_t w = x * c.stride + tap % 3 - c.padding;
          if (h >= c.lines || w >= c.columns)
            continue;
          const float *image =
              values.images.data() + ((n * c.lines + h) * c.columns + w) * c.in;
          for (std::size_t i = 0; i < c.in; ++i)
            for (std::size_t o = 0; o < c.out; ++o)
              result[(tap * c.in + i) * c.out + o] += T(image[i]) * delta[o];
        }
  return result;
}

double errorOf(const std::vector<float> &got,
               const std::vector<double> &exact) {
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    error = std::max(error, std::abs(double(got[i]) - exact[i]));
    largest = std::max(largest, std::abs(exact[i]));
  }
  return error / largest;
}

std::string nameOf(const Case &c) {
  return std::to_string(c.lines) + "x" + std::to_string(c.columns) + ", " +
         std::to_string(c.in) + " to " + std::to_string(c.out);
}

} // namespace

TEST(WinogradDeltas, AreUsedWhereItPaysAndOnlyThere) {
  for (const Case &c : kCases) {
    // A product of the second pixel of each image with its own gradient only is
    // exact, but not its sums with others.
    Values values(c);
    std::fill(values.deltas.begin(), values.deltas.end(), 0.0f);
    const std::size_t each = values.deltas.size() / c.images;
    for (std::size_t i = 0; i < each; ++i)
      values.deltas[i] = i / c.out == c.outColumns() + 1 ? 1.0f : 1e-30f;
    EXPECT_EQ(run(c, values) != reference<float>(c, values), c.isWinograd)
        << nameOf(c);
  }
}

TEST(WinogradDeltas, ErrLittleMoreThanTheDirectMethod) {
  for (const Case &c : kCases) {
    const Values values(c);
    const std::vector<double> exact = reference<double>(c, values);
    EXPECT_LE(errorOf(run(c, values), exact),
              3 * errorOf(reference<float>(c, values), exact))
        << nameOf(c);
  }
}

TEST(WinogradDeltas, AreExactForSmallIntegers) {
  for (const Case &c : kCases) {
    Values values(c);
    values.round();
    EXPECT_EQ(run(c, values), reference<float>(c, values)) << nameOf(c);
  }
}

TEST(WinogradDeltas, AreNotFiniteWhereThoseOfTheDirectMethodAreNot) {
  const Case &c = kCases[1];
  for (const float planted :
       {std::numeric_limits<float>::infinity(), std::nanf(""), 3e38f})
    for (const bool inImage : {true, false}) {
      Values values(c);
      std::vector<float> &all = inImage ? values.images : values.deltas;
      all[all.size() * 2 / 3] = planted;
      const std::vector<float> got = run(c, values);
      const std::vector<float> expected = reference<float>(c, values);
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(std::isnan(got[i]) == std::isnan(expected[i]) &&
                    std::isinf(got[i]) == std::isinf(expected[i]))
            << planted << inImage << ": " << got[i] << " instead of "
            << expected[i];
    }
}

TEST(WinogradDeltas, HaveTheSameBitsFusedOrNotOnAnyThreads) {
  for (const Case &c : kCases) {
    Values values(c);
    // Of one image the direct method is used, of another the gradient is
    // sparse.
    values.images[0] = 3e38f;
    std::fill_n(values.deltas.end() - c.out, c.out, 0.0f);
    const std::size_t each = values.deltas.size() / c.images;
    std::fill_n(values.deltas.begin() + 5 * each, each, 0.0f);
    const ScopedEnv one("IPUMODEL_THREADS", "1");
    const std::vector<float> expected = run(c, values);
    for (const char *threads : {"1", "2", "4"})
      for (const char *fusion : {"0", "1"}) {
        const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
        const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
        EXPECT_EQ(run(c, values), expected) << nameOf(c);
      }
  }
}
