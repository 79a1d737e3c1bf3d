// A block of two convolutions with batch norm and a shortcut, and its
// gradients: sums are added by those who make their terms, and summed once.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace poplar;
using program::Sequence;
using testing::HasSubstr;

namespace {

namespace bn = popnn::bn;
constexpr std::size_t kItems = 9, kIn = 8, kOut = 16;
constexpr auto kRelu = popnn::NonLinearityType::RELU;

class Block {
public:
  Block() {
    const Tensor x = poplin::createInput(graph_, conv(kIn, kField, 3, 2),
                                         "x"); // of all that follows
    add(x);
    const ConvNorm first = forward(x, conv(kIn, kField, 3, 2), "first");
    const Tensor inner = popnn::nonLinearity(graph_, kRelu, first.y, prog_);
    const ConvNorm second =
        forward(inner, conv(kOut, kField / 2, 3, 1), "second");
    const ConvNorm shortcut = forward(x, conv(kIn, kField, 1, 2), "shortcut");
    const Tensor y = popnn::nonLinearity(
        graph_, kRelu,
        popops::add(graph_, second.y, shortcut.y, prog_, "residual sum"),
        prog_);
    const Tensor dy = graph_.clone(y);
    add(dy);
    const Tensor dSum = gate(y, dy);
    const Tensor dInner = gate(inner, backward(second, dSum, "second"));
    const Tensor dx = backward(first, dInner, "first");
    popops::addInPlace(graph_, dx, backward(shortcut, dSum, "shortcut"), prog_,
                       "gradient sum");
    graph_.createHostRead("y", y);
    graph_.createHostRead("dx", dx);
    seen_ = {{"y", y.numElements()}, {"dx", dx.numElements()}};
  }

  // y, dx and all variables, after two runs.
  std::vector<float> run() {
    Engine engine(graph_, prog_);
    engine.load(device_);
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      std::vector<float> values(variables_[i].numElements());
      for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = std::sin(static_cast<float>(k * 7 + i));
      engine.writeTensor(nameOf(i), values.data(),
                         values.data() + values.size());
      seen_.emplace_back(nameOf(i), values.size());
    }
    engine.run();
    engine.run();
    std::vector<float> all;
    for (const auto &[name, size] : seen_) {
      std::vector<float> values(size);
      engine.readTensor(name, values.data(), values.data() + size);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

private:
  static constexpr std::size_t kField = 24;

  struct ConvNorm {
    poplin::ConvParams params;
    Tensor x, weights, gamma, beta, inverse, whitened, y;
  };

  static poplin::ConvParams conv(std::size_t in, std::size_t field,
                                 std::size_t kernel, unsigned stride) {
    poplin::ConvParams params(FLOAT, kItems, {field, field}, {kernel, kernel},
                              in, kOut, 1);
    const auto padding = static_cast<unsigned>(kernel / 2);
    params.inputTransform.paddingLower = {padding, padding};
    params.inputTransform.paddingUpper = {padding, padding};
    params.outputTransform.stride = {stride, stride};
    return params;
  }
  static std::string nameOf(std::size_t variable) {
    return "v" + std::to_string(variable);
  }

  // The host writes it before the first run and reads it after the last one.
  void add(const Tensor &t) {
    const std::string name = nameOf(variables_.size());
    graph_.createHostWrite(name, t);
    graph_.createHostRead(name, t);
    variables_.push_back(t);
  }
  Tensor addChannels() {
    const Tensor t = graph_.addVariable(FLOAT, {kOut});
    poputil::mapTensorLinearly(graph_, t);
    add(t);
    return t;
  }

  ConvNorm forward(const Tensor &x, const poplin::ConvParams &params,
                   const std::string &name) {
    ConvNorm of{params, x, {}, {}, {}, {}, {}, {}};
    of.weights = poplin::createWeights(graph_, params, name);
    add(of.weights);
    of.gamma = addChannels();
    of.beta = addChannels();
    const Tensor z = poplin::convolution(graph_, x, of.weights, params, false,
                                         prog_, {name});
    Tensor mean;
    std::tie(mean, of.inverse) =
        bn::batchNormStatistics(graph_, z, 1e-3f, prog_, false, false);
    std::tie(of.y, of.whitened) = bn::batchNormalise(
        graph_, z, of.gamma, of.beta, mean, of.inverse, prog_, {name});
    return of;
  }
  Tensor gate(const Tensor &y, const Tensor &dy) {
    return popnn::nonLinearityInputGradient(graph_, kRelu, y, dy, prog_);
  }
  Tensor backward(ConvNorm of, const Tensor &dy, const std::string &name) {
    const auto [dGamma, dBeta] = bn::batchNormParamGradients(
        graph_, of.whitened, dy, prog_, FLOAT, {name});
    const Tensor dz = bn::batchNormGradients(
        graph_, of.whitened, dy, of.inverse, of.gamma, prog_, FLOAT, {name});
    bn::batchNormParamUpdate(graph_, dGamma, dBeta, -0.01f, of.gamma, of.beta,
                             prog_, {name + " update"});
    const Tensor dx = poplin::convolution(graph_, dz, of.weights,
                                          poplin::getGradientParams(of.params),
                                          true, prog_, {name + " gradient"});
    poplin::convolutionWeightUpdate(graph_, dz, of.weights, of.x, of.params,
                                    -0.01f, prog_);
    return dx;
  }

  Device device_ = IPUModel().createDevice();
  Graph graph_{device_.getTarget()};
  Sequence prog_;
  std::vector<Tensor> variables_;
  std::vector<std::pair<std::string, std::size_t>> seen_;
};

std::vector<float> run(const char *fusion, const char *threads) {
  const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
  const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
  return Block().run();
}

std::string explained() {
  const ScopedEnv explain("IPUMODEL_EXPLAIN", "1");
  const ScopedEnv fusionEnv("IPUMODEL_FUSION", "1");
  testing::internal::CaptureStderr();
  Block().run();
  return testing::internal::GetCapturedStderr();
}

} // namespace

TEST(ResidualFusion, ANormAddsTheShortcutAndDoesTheReLU) {
  const std::string text = explained();
  EXPECT_THAT(text, HasSubstr("sum: 'shortcut' (poplin.channelMap) also does "
                              "'residual sum' (popops.map)"));
  EXPECT_THAT(text,
              HasSubstr("gate: 'shortcut' (poplin.channelMap) also does"));
}

TEST(ResidualFusion, AGradientIsAddedToAnother) {
  EXPECT_THAT(
      explained(),
      HasSubstr("sum: 'shortcut gradient' (poplin.convolution) also does "
                "'gradient sum' (popops.map)"));
}

TEST(ResidualFusion, ANormSumsItsGradientsOnce) {
  const std::string text = explained();
  for (const char *name : {"first", "second", "shortcut"})
    EXPECT_THAT(text, HasSubstr("repeat: '" + std::string(name) + "/sums'"));
}

TEST(ResidualFusion, WhitenedActivationsAreNotStored) {
  const std::string text = explained();
  for (const char *name : {"'first'", "'second'", "'shortcut'"})
    EXPECT_THAT(text, HasSubstr("(poplin.channelMap) makes again what " +
                                std::string(name) + " (poplin.channelMap)"));
  EXPECT_THAT(text, HasSubstr("remake: 'first/sums'"));
  EXPECT_THAT(text, HasSubstr("remake: 'first/gradient'"));
}

// Updates of vectors, which a batch of another size has.
TEST(ResidualFusion, TheGradientOfANormIsMadeWithThatOfItsConvolution) {
  EXPECT_THAT(explained(),
              HasSubstr("chain: 'first/gradient' (poplin.channelMap), "
                        "'first gradient' (poplin.convolution)"));
}

TEST(ResidualFusion, HasTheSameBitsWithoutAnyPassOnAnyThreads) {
  const std::vector<float> apart = run("0", "1");
  for (const char *fusion :
       {"1", "-chain", "-repeat", "-sum", "-gate", "-epilogue", "-private",
        "-remake", "-repeat,-sum"})
    for (const char *threads : {"1", "2", "4"})
      EXPECT_EQ(run(fusion, threads), apart) << fusion << ' ' << threads;
}
