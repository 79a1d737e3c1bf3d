// Optimisers against Keras' formulas in double precision.
#include "graph/optimizers/optimizer.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace popscope::graph {
namespace {

constexpr std::size_t kSize = 40;
constexpr double kRate = 0.01;
constexpr unsigned kSteps = 12;

double gradientAt(unsigned step, std::size_t i) {
  return std::sin(double(step * kSize + i)) *
         std::pow(10.0, -double(i % 5)); // of different sizes
}

// All weights after some steps from zero.
std::vector<float> weightsAfterSteps(const OptimizerSpec &spec) {
  poplar::Device device = poplar::IPUModel("ipu2").createDevice();
  poplar::Graph graph(device.getTarget());
  popops::addCodelets(graph);
  const auto variable = [&](const char *name, std::vector<std::size_t> shape) {
    const poplar::Tensor tensor =
        graph.addVariable(poplar::FLOAT, shape, poplar::DebugContext(name));
    poputil::mapTensorLinearly(graph, tensor);
    graph.setInitialValue(tensor, 0.0f);
    graph.createHostWrite(name, tensor);
    return tensor;
  };
  const poplar::Tensor weight = variable("weight", {kSize});
  const poplar::Tensor gradient = variable("gradient", {kSize});
  const poplar::Tensor rate = variable("rate", {});
  graph.setInitialValue(rate, float(kRate));
  graph.createHostRead("weight", weight);
  StateCatalog state(graph);
  const auto optimizer = makeOptimizer(spec, state);
  poplar::program::Sequence prog;
  const poplar::Tensor step = optimizer->addStepSize(graph, rate, prog);
  optimizer->addUpdate(graph, {"w", weight, weight, {0}}, gradient, step, prog);

  poplar::Engine engine(graph, prog);
  device.attach();
  engine.load(device);
  std::vector<float> values(kSize);
  for (unsigned s = 0; s < kSteps; ++s) {
    for (std::size_t i = 0; i < kSize; ++i)
      values[i] = float(gradientAt(s, i));
    engine.writeTensor("gradient", values.data(), values.data() + kSize);
    engine.run(0);
  }
  engine.readTensor("weight", values.data(), values.data() + kSize);
  return values;
}

struct Reference {
  double m = 0.0, v = 0.0, weight = 0.0;
};

void expectFormula(
    const OptimizerSpec &spec,
    const std::function<void(Reference &, double g, unsigned t)> &formula) {
  const std::vector<float> weights = weightsAfterSteps(spec);
  for (std::size_t i = 0; i < kSize; ++i) {
    Reference reference;
    for (unsigned s = 0; s < kSteps; ++s)
      formula(reference, gradientAt(s, i), s + 1);
    EXPECT_NEAR(weights[i], reference.weight,
                1e-6 + 1e-4 * std::abs(reference.weight))
        << i;
  }
}

TEST(Optimizers, SgdFollowsTheGradient) {
  expectFormula({Sgd{}, 0.0f}, [](Reference &r, double g, unsigned) {
    r.weight -= kRate * g;
  });
}

TEST(Optimizers, SgdKeepsMomentum) {
  expectFormula({Sgd{0.9f}, 0.0f}, [](Reference &r, double g, unsigned) {
    r.m = 0.9 * r.m - kRate * g;
    r.weight += r.m;
  });
}

TEST(Optimizers, RmsPropDividesByTheRootOfTheMeanSquare) {
  expectFormula({RmsProp{}, 0.0f}, [](Reference &r, double g, unsigned) {
    r.v = 0.9 * r.v + 0.1 * g * g;
    r.weight -= kRate * g / std::sqrt(r.v + 1e-7);
  });
}

TEST(Optimizers, AdamCorrectsItsMeansForTheirStart) {
  expectFormula({Adam{}, 0.0f}, [](Reference &r, double g, unsigned t) {
    r.m = 0.9 * r.m + 0.1 * g;
    r.v = 0.999 * r.v + 0.001 * g * g;
    const double step =
        kRate * std::sqrt(1.0 - std::pow(0.999, t)) / (1.0 - std::pow(0.9, t));
    r.weight -= step * r.m / (std::sqrt(r.v) + 1e-7);
  });
}

} // namespace
} // namespace popscope::graph
