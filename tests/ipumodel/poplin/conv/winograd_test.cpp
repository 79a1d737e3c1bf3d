// Convolutions with 3x3 kernels and enough channels and output elements, which
// are made by Winograd's method.
#include "tests/support/instruction_sets.hpp"
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace poplar;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Case {
  std::size_t lines, columns, in, out;
  unsigned padding = 0;
  std::size_t images = 9;
};

const Case kCases[] = {
    {13, 13, 32, 64}, // conv-1 of the cnn preset
    {26, 26, 16, 32, 0, 2} /* conv-1 of gmp-cnn, in several tasks */,
    {16, 16, 32, 32, 1},
    {8, 8, 64, 64, 1},
    {9, 12, 37, 21, 1}, // odd sizes, and no whole vectors
    {8, 9, 16, 130, 0, 3},
    {7, 7, 200, 17, 1, 1},
    {11, 11, 64, 32, 2}, // as in the gradient of conv-1 of cnn
    {5, 7, 16, 21, 2},
};

poplin::ConvParams paramsOf(const Case &c) {
  poplin::ConvParams params(FLOAT, c.images, {c.lines, c.columns}, {3, 3}, c.in,
                            c.out, 1);
  params.inputTransform.paddingLower =
      params.inputTransform.paddingUpper = {c.padding, c.padding};
  return params;
}

// In the order of [image, in, field...] and of [out, in, kernel...].
struct Values {
  std::vector<float> images, weights;

  explicit Values(const Case &c, unsigned seed = 1)
      : images(c.images * c.in * c.lines * c.columns),
        weights(c.out * c.in * 9) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.2f, 1);
    for (float &x : images)
      x = normal(random);
    for (float &x : weights)
      x = normal(random);
  }
};

Device makeModel() {
  IPUModel model;
  model.tilesPerIPU = 4;
  model.memoryBytesPerTile = 64u << 20;
  return model.createDevice();
}

// In the order of [image, out, field...].
std::vector<float> run(const Case &c, const Values &values) {
  const Device device = makeModel();
  Graph graph(device.getTarget());
  const poplin::ConvParams params = paramsOf(c);
  const Tensor in = poplin::createInput(graph, params);
  const Tensor w = poplin::createWeights(graph, params);
  program::Sequence prog;
  const Tensor out = poplin::convolution(graph, in, w, params, false, prog);
  graph.createHostWrite("in", in);
  graph.createHostWrite("w", w);
  graph.createHostRead("out", out);
  Engine engine(graph, prog);
  engine.load(device);
  engine.writeTensor("in", values.images.data(),
                     values.images.data() + values.images.size());
  engine.writeTensor("w", values.weights.data(),
                     values.weights.data() + values.weights.size());
  engine.run();
  std::vector<float> result(out.numElements());
  engine.readTensor("out", result.data(), result.data() + result.size());
  return result;
}

// By the definition: each element summed in the order of lines, columns and
// channels of the kernel, as the direct method does.
template <class T>
std::vector<T> reference(const Case &c, const Values &values) {
  const std::size_t lines = c.lines + 2 * c.padding - 2;
  const std::size_t columns = c.columns + 2 * c.padding - 2;
  std::vector<T> result;
  for (std::size_t n = 0; n < c.images; ++n)
    for (std::size_t o = 0; o < c.out; ++o)
      for (std::size_t y = 0; y < lines; ++y)
        for (std::size_t x = 0; x < columns; ++x) {
          T sum = 0;
          for (std::size_t tap = 0; tap < 9; ++tap) {
            const std::size_t h = y + tap / 3 - c.padding;
            const std::size_t w = x + tap % 3 - c.padding;
            if (h >= c.lines || w >= c.columns)
              continue;
            for (std::size_t i = 0; i < c.in; ++i)
              sum = std::fma(
                  T(values.images[((n * c.in + i) * c.lines + h) * c.columns +
                                  w]),
                  T(values.weights[(o * c.in + i) * 9 + tap]), sum);
          }
          result.push_back(sum);
        }
  return result;
}

std::string nameOf(const Case &c) {
  return std::to_string(c.lines) + "x" + std::to_string(c.columns) + ", " +
         std::to_string(c.in) + " to " + std::to_string(c.out) + ", padding " +
         std::to_string(c.padding);
}

enum class Kind { finite, nan, positive, negative };

Kind kindOf(float x) {
  return std::isnan(x)    ? Kind::nan
         : !std::isinf(x) ? Kind::finite
         : x > 0          ? Kind::positive
                          : Kind::negative;
}

// The largest error relative to the largest result.
double errorOf(const std::vector<float> &got,
               const std::vector<double> &exact) {
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    error = std::max(error, std::abs(double(got[i]) - exact[i]));
    largest = std::max(largest, std::abs(exact[i]));
  }
  return error / largest;
}

// A kernel that copies the first channel's pixels to all: a direct product is
// exact.
Values copying(const Case &c) {
  Values values(c);
  for (std::size_t i = 0; i < values.weights.size(); ++i)
    values.weights[i] = i % (c.in * 9) == 4;
  return values;
}

} // namespace

TEST(Winograd, IsUsedWhereItPaysAndOnlyThere) {
  const auto isUsed = [](const Case &c) {
    return run(c, copying(c)) != reference<float>(c, copying(c));
  };
  for (const Case &c : kCases)
    EXPECT_TRUE(isUsed(c)) << nameOf(c);
  for (const Case &c : {Case{13, 13, 15, 64}, Case{13, 13, 32, 15},
                        Case{5, 5, 64, 32}, Case{9, 9, 257, 16, 0, 1}})
    EXPECT_FALSE(isUsed(c)) << nameOf(c);
}

TEST(Winograd, ErrsLittleMoreThanTheDirectMethod) {
  for (const Case &c : kCases) {
    const Values values(c);
    const std::vector<double> exact = reference<double>(c, values);
    EXPECT_LE(errorOf(run(c, values), exact),
              3 * errorOf(reference<float>(c, values), exact))
        << nameOf(c);
  }
}

TEST(Winograd, IsExactForSmallIntegers) {
  for (const Case &c : kCases) {
    Values values(c);
    for (std::vector<float> *all : {&values.images, &values.weights})
      for (float &x : *all)
        x = std::round(3 * x);
    EXPECT_EQ(run(c, values), reference<float>(c, values)) << nameOf(c);
  }
}

// One element of an image, or of the kernel, is or becomes not finite.
TEST(Winograd, ResultsAreNotFiniteWhereThoseOfTheDirectMethodAreNot) {
  const float kPlanted[] = {kInfinity, -kInfinity, std::nanf(""), 1e38f,
                            -3e38f};
  for (const Case &c : {Case{26, 26, 16, 32, 0, 1}, Case{8, 8, 32, 21, 1},
                        Case{7, 7, 32, 21, 2}})
    for (const float planted : kPlanted)
      for (const bool inImage : {true, false}) {
        SCOPED_TRACE(nameOf(c) + ", " + std::to_string(planted) +
                     (inImage ? " in an image" : " in the kernel"));
        Values values(c);
        std::vector<float> &all = inImage ? values.images : values.weights;
        all[all.size() * 2 / 3] = planted;
        const std::vector<float> got = run(c, values);
        const std::vector<float> expected = reference<float>(c, values);
        std::size_t differ = 0, notFinite = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
          differ += kindOf(got[i]) != kindOf(expected[i]);
          notFinite += kindOf(got[i]) != Kind::finite;
        }
        EXPECT_EQ(differ, 0u);
        EXPECT_TRUE(notFinite > 0 || std::isfinite(planted));
      }
}

TEST(Winograd, AnImageDoesNotDependOnTheOthers) {
  const Case c{16, 16, 32, 32, 1, 3};
  const Values values(c);
  Values withInfinity = values;
  withInfinity.images[5000] = kInfinity; // of the first
  const std::vector<float> plain = run(c, values);
  const std::vector<float> other = run(c, withInfinity);
  const std::size_t each = plain.size() / c.images;
  EXPECT_TRUE(
      std::equal(plain.begin() + each, plain.end(), other.begin() + each));
  Case one = c;
  one.images = 1;
  Values last = values;
  last.images.erase(last.images.begin(),
                    last.images.end() - values.images.size() / c.images);
  EXPECT_TRUE(
      std::equal(plain.end() - each, plain.end(), run(one, last).begin()));
}

// Also an image that takes the direct method.
TEST(Winograd, IsExactOnEveryInstructionSetOfTheProcessor) {
  const Case c{9, 12, 37, 21, 1};
  Values values(c);
  for (std::vector<float> *all : {&values.images, &values.weights})
    for (float &x : *all)
      x = std::round(3 * x);
  const std::vector<float> exact = reference<float>(c, values);
  values.images[0] = kInfinity;
  const std::vector<float> direct = reference<float>(c, values);
  onEveryInstructionSet([&] {
    const std::vector<float> got = run(c, values);
    const std::size_t each = got.size() / c.images;
    EXPECT_TRUE(
        std::equal(got.begin() + each, got.end(), exact.begin() + each));
    for (std::size_t i = 0; i < each; ++i)
      EXPECT_TRUE(got[i] == direct[i] ||
                  (std::isnan(got[i]) && std::isnan(direct[i])))
          << i;
  });
}

// Bias, ReLU and a pooling that leaves out the last line and column.
TEST(Winograd, HasTheSameBitsFusedOrNotOnAnyThreads) {
  const Case c = kCases[0];
  const auto pooled = [&](const Values &values) {
    const Device device = makeModel();
    Graph graph(device.getTarget());
    const poplin::ConvParams params = paramsOf(c);
    const Tensor in = poplin::createInput(graph, params);
    const Tensor w = poplin::createWeights(graph, params);
    program::Sequence prog;
    const Tensor out = poplin::convolution(graph, in, w, params, false, prog);
    const Tensor bias = poplin::createBiases(graph, out);
    poplin::addBias(graph, out, bias, prog);
    popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::RELU, out, prog);
    const popnn::pooling::PoolParams pool(popnn::PoolingType::MAX, {11, 11},
                                          {2, 2}, {2, 2}, {0, 0}, {0, 0}, c.out,
                                          c.images, FLOAT);
    const Tensor result = popnn::pooling::pool(graph, pool, out, prog);
    graph.createHostWrite("in", in);
    graph.createHostWrite("w", w);
    graph.createHostWrite("bias", bias);
    graph.createHostRead("out", result);
    Engine engine(graph, prog);
    engine.load(device);
    engine.writeTensor("in", values.images.data(),
                       values.images.data() + values.images.size());
    engine.writeTensor("w", values.weights.data(),
                       values.weights.data() + values.weights.size());
    engine.writeTensor("bias", values.weights.data(),
                       values.weights.data() + c.out);
    engine.run();
    std::vector<float> floats(result.numElements());
    engine.readTensor("out", floats.data(), floats.data() + floats.size());
    return floats;
  };
  Values values(c);
  for (const bool isFinite : {true, false}) {
    if (!isFinite)
      values.images[100] = kInfinity;
    const ScopedEnv one("IPUMODEL_THREADS", "1");
    const std::vector<float> expected = pooled(values);
    {
      const ScopedEnv apart("IPUMODEL_FUSION", "0");
      EXPECT_EQ(pooled(values), expected);
    }
    const ScopedEnv four("IPUMODEL_THREADS", "4");
    EXPECT_EQ(pooled(values), expected);
    const ScopedEnv apart("IPUMODEL_FUSION", "0");
    EXPECT_EQ(pooled(values), expected);
  }
}
