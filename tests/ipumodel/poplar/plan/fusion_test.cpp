// Fused operations give the same results as separate ones, and tensors that are
// read in between exist.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/TileMapping.hpp>

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>

using namespace poplar;
using program::Sequence;

namespace {

struct BlockCase {
  std::size_t batch, field, inChannels, outChannels, kernel, window;
};

std::ostream &operator<<(std::ostream &os, const BlockCase &c) {
  return os << "batch " << c.batch << ", field " << c.field << ", channels "
            << c.inChannels << " to " << c.outChannels << ", kernel "
            << c.kernel << ", window " << c.window;
}

// What reads tensors in between: nothing, the host some or all of them, or
// another program of the engine.
enum class Tap { none, gradients, all, otherProgram };

using Tensors = std::map<std::string, std::vector<float>>;

// Two rounds of convolution, bias, ReLU, max pooling and their gradients, with
// an update of the weights at the end. Inputs are multiples of a quarter, so
// that some maxima are tied.
class ConvBlock {
public:
  ConvBlock(const BlockCase &c, Tap tap) : graph_(device_.getTarget()) {
    poplin::ConvParams params(FLOAT, c.batch, {c.field, c.field},
                              {c.kernel, c.kernel}, c.inChannels, c.outChannels,
                              1);
    const Tensor x = poplin::createInput(graph_, params, "x");
    const Tensor w = poplin::createWeights(graph_, params, "w");
    const Tensor z = poplin::convolution(graph_, x, w, params, false, prog_);
    const Tensor b = poplin::createBiases(graph_, z, "b");
    poplin::addBias(graph_, z, b, prog_);
    popnn::nonLinearityInPlace(graph_, popnn::NonLinearityType::RELU, z, prog_);
    const auto window = static_cast<unsigned>(c.window);
    const popnn::pooling::PoolParams pool(
        popnn::PoolingType::MAX, {z.dim(2), z.dim(3)}, {c.window, c.window},
        {window, window}, {0, 0}, {0, 0}, c.outChannels, c.batch, FLOAT);
    const Tensor y = popnn::pooling::pool(graph_, pool, z, prog_);
    const Tensor dy = graph_.clone(y, "dy");
    const Tensor dPool =
        popnn::pooling::poolInputGradient(graph_, pool, z, y, dy, false, prog_);
    const Tensor dz = popnn::nonLinearityInputGradient(
        graph_, popnn::NonLinearityType::RELU, z, dPool, prog_);
    const Tensor dx = poplin::convolution(
        graph_, dz, w, poplin::getGradientParams(params), true, prog_);
    const Tensor dw =
        poplin::calculateWeightDeltas(graph_, dz, x, params, prog_);
    const Tensor db =
        popops::reduce(graph_, dz, {0, 2, 3}, popops::Operation::ADD, prog_);
    popops::scaledSubtractFrom(graph_, w, dw, 0.125f, prog_);
    popops::scaledSubtractFrom(graph_, b, db, 0.125f, prog_);
    addInput("x", x);
    addInput("w", w);
    addInput("b", b);
    addInput("dy", dy);
    for (const auto &[name, tensor] : {std::pair("w", w), std::pair("b", b),
                                       std::pair("dx", dx), std::pair("y", y)})
      addOutput(name, tensor);
    if (tap == Tap::otherProgram) {
      const Tensor seen = graph_.clone(dz, "seen");
      look_.add(program::Copy(dz, seen));
      addOutput("dz", seen);
    } else if (tap != Tap::none) {
      addOutput("dPool", dPool);
      addOutput("dz", dz);
    }
    if (tap == Tap::all) {
      addOutput("z", z);
      addOutput("dw", dw);
      addOutput("db", db);
    }
  }

  Tensors run(int times = 2) {
    Engine engine(graph_, {prog_, look_});
    engine.load(device_);
    std::mt19937 random(7);
    for (const auto &[name, size] : inputs_) {
      std::vector<float> values(size);
      for (float &value : values)
        value = static_cast<float>(static_cast<int>(random() % 17) - 8) / 4;
      engine.writeTensor(name, values.data(), values.data() + size);
      given_[name] = values;
    }
    for (int i = 0; i < times; ++i)
      engine.run(0);
    engine.run(1);
    Tensors read;
    for (const auto &[name, size] : outputs_) {
      read[name].resize(size);
      engine.readTensor("out/" + name, read[name].data(),
                        read[name].data() + size);
    }
    return read;
  }

  const Tensors &given() const { return given_; }

private:
  static Device makeDevice() {
    IPUModel model;
    model.tilesPerIPU = 16;
    return model.createDevice();
  }
  void addInput(const std::string &name, const Tensor &tensor) {
    graph_.createHostWrite(name, tensor);
    inputs_.emplace_back(name, tensor.numElements());
  }
  void addOutput(const std::string &name, const Tensor &tensor) {
    graph_.createHostRead("out/" + name, tensor);
    outputs_.emplace_back(name, tensor.numElements());
  }

  Device device_ = makeDevice();
  Graph graph_;
  Sequence prog_, look_;
  std::vector<std::pair<std::string, std::size_t>> inputs_, outputs_;
  Tensors given_;
};

const BlockCase kCases[] = {
    {8, 6, 32, 16, 3, 2},  // rows of the kernel in whole vectors
    {9, 7, 1, 5, 3, 2},    // groups of unequal size, one input channel
    {16, 5, 33, 3, 2, 2},  // tails everywhere
    {8, 6, 16, 20, 3, 4},  // one window
    {11, 6, 40, 17, 3, 1}, // windows of one element: nothing is dropped
    {3, 6, 32, 8, 3, 2},   // too few items for a chain
};

Tensors runWith(const BlockCase &c, Tap tap, const char *fusion,
                const char *threads) {
  const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
  const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
  return ConvBlock(c, tap).run();
}

// Tensors of `some` have the same bits in `all`; NaNs would compare unequal.
void expectSame(const Tensors &some, const Tensors &all) {
  for (const auto &[name, values] : some)
    EXPECT_EQ(values, all.at(name)) << name;
}

} // namespace

TEST(Fusion, ChangesNoBit) {
  for (const BlockCase &c : kCases) {
    SCOPED_TRACE(testing::PrintToString(c));
    const Tensors apart = runWith(c, Tap::none, "0", "1");
    for (const char *threads : {"1", "2", "4"})
      expectSame(apart, runWith(c, Tap::none, "1", threads));
  }
}

TEST(Fusion, ATensorThatIsReadIsThereAndChangesNothing) {
  for (const BlockCase &c : kCases) {
    SCOPED_TRACE(testing::PrintToString(c));
    const Tensors apart = runWith(c, Tap::all, "0", "1");
    expectSame(runWith(c, Tap::none, "1", "2"), apart);
    expectSame(runWith(c, Tap::gradients, "1", "2"), apart);
    expectSame(runWith(c, Tap::all, "1", "2"), apart);
    expectSame(runWith(c, Tap::otherProgram, "1", "2"), apart);
  }
}

// Values are short binary fractions and sums have at most a few hundred terms,
// so only the gradient of the input is rounded.
TEST(Fusion, GradientsOfAConvolutionAreTheirDefinition) {
  for (const BlockCase &c : kCases) {
    SCOPED_TRACE(testing::PrintToString(c));
    ConvBlock block(c, Tap::all);
    const Tensors got = block.run(1);
    const std::vector<float> &x = block.given().at("x");
    const std::vector<float> &weights = block.given().at("w");
    const std::vector<float> &dz = got.at("dz");
    const std::size_t n = c.field, k = c.kernel, m = n - k + 1;
    std::vector<double> dw(weights.size()), dx(x.size());
    for (std::size_t b = 0; b < c.batch; ++b)
      for (std::size_t o = 0; o < c.outChannels; ++o)
        for (std::size_t i = 0; i < c.inChannels; ++i)
          for (std::size_t h = 0; h < m; ++h)
            for (std::size_t w = 0; w < m; ++w) {
              const double d = dz[((b * c.outChannels + o) * m + h) * m + w];
              for (std::size_t u = 0; d != 0 && u < k; ++u)
                for (std::size_t v = 0; v < k; ++v) {
                  const std::size_t at =
                      ((b * c.inChannels + i) * n + h + u) * n + w + v;
                  const std::size_t weight =
                      ((o * c.inChannels + i) * k + u) * k + v;
                  dw[weight] += d * double(x[at]);
                  dx[at] += d * double(weights[weight]);
                }
            }
    for (std::size_t i = 0; i < dw.size(); ++i)
      ASSERT_NEAR(got.at("dw")[i], dw[i], 1e-4) << i;
    for (std::size_t i = 0; i < dx.size(); ++i)
      ASSERT_NEAR(got.at("dx")[i], dx[i], 1e-4) << i;
  }
}

TEST(Fusion, ABadSettingIsNamed) {
  const ScopedEnv fusion("IPUMODEL_FUSION", "maybe");
  EXPECT_THROW(ConvBlock(kCases[0], Tap::none).run(), invalid_option);
}
