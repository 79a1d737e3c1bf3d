// Products of the rows of a batch are in one pass with the operations around
// them, as in dense layers and their gradients.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace poplar;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr std::size_t kInputs = 23;

struct Ran {
  std::vector<float> results;
  std::string explanation;
};

float valueAt(std::size_t i) {
  return std::sin(static_cast<float>(i * 7 % 1009)) * 0.25f;
}

class Program {
public:
  const Device device = IPUModel().createDevice();
  Graph graph{device.getTarget()};
  program::Sequence prog;

  Tensor addInput(const std::vector<std::size_t> &shape, const char *name) {
    const Tensor t = graph.addVariable(FLOAT, shape, name);
    poputil::mapTensorLinearly(graph, t);
    std::vector<float> values(t.numElements());
    for (float &value : values)
      value = valueAt(next_++);
    graph.setInitialValue(t, ArrayRef<float>(values));
    return t;
  }

  Ran run(const std::vector<Tensor> &results, const char *fusion,
          const char *threads) {
    std::vector<Tensor> flat;
    for (const Tensor &result : results)
      flat.push_back(result.flatten());
    const Tensor all = concat(flat);
    graph.createHostRead("out", all);
    const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
    const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
    const ScopedEnv explain("IPUMODEL_EXPLAIN", "1");
    testing::internal::CaptureStderr();
    Engine engine(graph, prog);
    Ran ran;
    ran.explanation = testing::internal::GetCapturedStderr();
    engine.load(device);
    engine.run();
    ran.results.resize(all.numElements());
    engine.readTensor("out", ran.results.data(),
                      ran.results.data() + ran.results.size());
    return ran;
  }

private:
  std::size_t next_ = 0;
};

// Two dense layers, and the gradients of their inputs and of a bias.
Ran runLayers(std::size_t batch, std::size_t units, const char *fusion,
              const char *threads) {
  using namespace popops::expr;
  Program p;
  const Tensor x = p.addInput({batch, kInputs}, "x");
  const Tensor first = p.addInput({kInputs, units}, "first");
  const Tensor bias = p.addInput({units}, "bias");
  const Tensor second = p.addInput({units, 10}, "second");
  const Tensor y = poplin::matMul(p.graph, x, first, p.prog, {"y"});
  popops::addInPlace(p.graph, y, bias, p.prog, {"bias"});
  popnn::nonLinearityInPlace(p.graph, popnn::NonLinearityType::RELU, y, p.prog,
                             {"relu"});
  const Tensor z = poplin::matMul(p.graph, y, second, p.prog, {"z"});
  const Tensor dz = popops::map(p.graph, Square(_1), {z}, p.prog, {"dz"});
  const Tensor dy =
      poplin::matMul(p.graph, dz, second.transpose(), p.prog, {"dy"});
  const Tensor gated =
      popops::map(p.graph, Select(_1, Const(0.0f), _2 > Const(0.0f)), {dy, y},
                  p.prog, {"gated"});
  const Tensor dBias = popops::reduce(p.graph, gated, {0},
                                      popops::Operation::ADD, p.prog, {"db"});
  return p.run({dBias, z, gated}, fusion, threads);
}

} // namespace

TEST(DenseFusion, LayersAndTheirGradientsAreOneChain) {
  const std::string explanation = runLayers(200, 100, "1", "1").explanation;
  EXPECT_THAT(explanation,
              HasSubstr("chain: 'y' (poplin.matMul), 'bias' (popops.map), "
                        "'relu' (popops.map), 'z' (poplin.matMul), 'dz' "
                        "(popops.map), 'dy' (poplin.matMul), 'gated' "
                        "(popops.map), 'db' (popops.reduce)\n"));
  EXPECT_THAT(explanation, HasSubstr("'dy' of 'dy' (poplin.matMul) is not "
                                     "stored"));
}

TEST(DenseFusion, AProductDoesABiasAndARelu) {
  const std::string explanation = runLayers(200, 100, "1", "1").explanation;
  for (const char *name : {"bias", "relu"})
    EXPECT_THAT(explanation,
                HasSubstr(std::string("epilogue: 'y' (poplin.matMul) also "
                                      "does '") +
                          name + "' (popops.map)"));
}

TEST(DenseFusion, FewRowsOrManyWeightsAreApart) {
  EXPECT_THAT(runLayers(127, 200, "1", "1").explanation,
              Not(HasSubstr("fusion: chain: 'y'")));
  EXPECT_THAT(runLayers(200, 3000, "1", "1").explanation,
              Not(HasSubstr("fusion: chain: 'y'")));
}

TEST(DenseFusion, ResultsAreTheDefinition) {
  constexpr std::size_t kBatch = 131, kUnits = 129, kOut = 10;
  const std::vector<float> results =
      runLayers(kBatch, kUnits, "1", "2").results;
  const std::size_t first = kBatch * kInputs, bias = first + kInputs * kUnits,
                    second = bias + kUnits;
  for (std::size_t row = 0; row < kBatch; ++row) {
    std::vector<double> y(kUnits);
    for (std::size_t u = 0; u < kUnits; ++u) {
      double sum = valueAt(bias + u);
      for (std::size_t i = 0; i < kInputs; ++i)
        sum += double(valueAt(row * kInputs + i)) *
               double(valueAt(first + i * kUnits + u));
      y[u] = std::max(sum, 0.0);
    }
    for (std::size_t o = 0; o < kOut; ++o) {
      double sum = 0;
      for (std::size_t u = 0; u < kUnits; ++u)
        sum += y[u] * double(valueAt(second + u * kOut + o));
      ASSERT_NEAR(results[kUnits + row * kOut + o], sum, 1e-4);
    }
  }
}

// Groups of 16 to 169 rows, of which the last ones may run alone.
TEST(DenseFusion, WithTheSameBitsOnAnyThreads) {
  for (const std::size_t batch : {131, 200, 1347})
    for (const std::size_t units : {100, 129}) {
      const std::vector<float> apart =
          runLayers(batch, units, "0", "1").results;
      for (const char *threads : {"1", "2", "4"})
        EXPECT_EQ(runLayers(batch, units, "1", threads).results, apart);
      for (const char *fusion : {"-private", "-epilogue", "-chain"})
        EXPECT_EQ(runLayers(batch, units, fusion, "2").results, apart);
    }
}

// A product that runs with vectors, which are one item each, or with stages
// that do one large item at a time, would read its weights for each row.
TEST(DenseFusion, AProductIsNotAfterAConvolution) {
  constexpr std::size_t kBatch = 128, kSize = 8;
  std::vector<float> apart;
  for (const char *fusion : {"0", "1"}) {
    Program p;
    const poplin::ConvParams params(FLOAT, kBatch, {kSize, kSize}, {1, 1}, 1, 2,
                                    1);
    const Tensor image =
        p.addInput({kBatch, kSize, kSize, 1}, "image").dimRoll(3, 1);
    const Tensor kernel = p.addInput({1, 2, 1, 1, 1}, "kernel");
    const Tensor made = poplin::convolution(p.graph, image, kernel, params,
                                            false, p.prog, {"conv"});
    const Tensor rows = made.dimRoll(1, 3).flatten(1, 4);
    // Of all elements of an item, not of its two channels.
    popops::addInPlace(p.graph, rows, p.addInput({rows.dim(1)}, "bias"), p.prog,
                       {"bias"});
    const Tensor out =
        poplin::matMul(p.graph, rows, p.addInput({rows.dim(1), 9}, "weights"),
                       p.prog, {"product"});
    const Ran ran = p.run({out}, fusion, "2");
    if (apart.empty()) {
      apart = ran.results;
      continue;
    }
    EXPECT_EQ(ran.results, apart);
    EXPECT_THAT(ran.explanation,
                HasSubstr("no chain: 'product' (poplin.matMul) not after "
                          "'bias' (popops.map): not all operations"));
    EXPECT_THAT(ran.explanation, HasSubstr("no epilogue: 'conv' "
                                           "(poplin.convolution) cannot also "
                                           "do 'bias' (popops.map)"));
  }
}

// A value that is repeated is no row, even if rows have one element.
TEST(DenseFusion, AScalarIsNoBias) {
  const auto run = [](const char *fusion) {
    Program p;
    const Tensor x = p.addInput({300, 1}, "x"), scalar = p.addInput({}, "s");
    popops::addInPlace(p.graph, x, scalar, p.prog);
    return p.run({x}, fusion, "2").results;
  };
  const std::vector<float> results = run("1");
  EXPECT_EQ(results, run("0"));
  for (std::size_t i = 0; i < 300; ++i)
    EXPECT_EQ(results[i], valueAt(i) + valueAt(300)) << i;
}
