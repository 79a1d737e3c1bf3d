// An update fused with a product gives the same result as with the stored
// gradient, and the gradient exists if anything reads it.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/TileMapping.hpp>

#include <gtest/gtest.h>
#include <random>
#include <string>

using namespace poplar;
using program::Sequence;

namespace {

struct UpdateCase {
  const char *name;
  bool isTransposed = false;  // the weights in memory
  bool readsWeights = false;  // the product reads them
  bool readsGradient = false; // the host reads it
  bool repeatsTwice = false;  // the product runs twice before the update
  bool hasMoment = false;     // something else uses the gradient, too
};

const UpdateCase kUpdates[] = {
    {"plain"},
    {"transposed", true},
    {"of the weights themselves", false, true},
    {"with a gradient that is read", false, false, true},
    {"after two products", false, false, false, true},
    {"with a moment", false, false, false, false, true},
};

// Sums and differences, with constants and with tensors, one of which is an
// element of the gradient.
enum class Form {
  subtractConstant,
  addConstant,
  subtractTensor,
  expression,
  ownElement
};

struct Updated {
  std::vector<float> weights, gradient, moment;
  bool operator==(const Updated &other) const {
    return weights == other.weights && gradient == other.gradient &&
           moment == other.moment;
  }
};

void update(Graph &graph, Form form, const Tensor &weights,
            const Tensor &gradient, const Tensor &rate, Sequence &prog) {
  using namespace popops::expr;
  switch (form) {
  case Form::subtractConstant:
    return popops::scaledSubtractFrom(graph, weights, gradient, 0.3f, prog);
  case Form::addConstant:
    return popops::scaledAddTo(graph, weights, gradient, 0.3f, prog);
  case Form::subtractTensor:
    return popops::scaledSubtractFrom(graph, weights, gradient, rate, prog);
  case Form::expression:
    return popops::mapInPlace(graph, _1 - _3 * _2, {weights, gradient, rate},
                              prog);
  case Form::ownElement:
    return popops::mapInPlace(
        graph, _1 - _3 * _2,
        {weights, gradient, gradient.flatten().slice(0, 1)}, prog);
  }
}

// Values that sums and products round.
std::vector<float> randomValues(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = uniform(random);
  return values;
}

Updated run(const UpdateCase &c, Form form, std::size_t rows,
            std::size_t columns, const char *fusion, const char *threads) {
  const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
  const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
  IPUModel model;
  model.tilesPerIPU = 16;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  const auto add = [&](std::vector<std::size_t> shape, const char *name) {
    const Tensor tensor = graph.addVariable(FLOAT, shape, name);
    poputil::mapTensorLinearly(graph, tensor);
    graph.createHostWrite(name, tensor);
    return tensor;
  };
  const std::size_t depth = c.readsWeights ? rows : 21;
  const Tensor weights = c.isTransposed
                             ? add({columns, rows}, "weights").transpose()
                             : add({rows, columns}, "weights");
  const Tensor left = add({rows, depth}, "left");
  const Tensor right =
      c.readsWeights ? weights : add({depth, columns}, "right");
  const Tensor rate = add({}, "rate");
  const Tensor moment = add({rows, columns}, "moment");
  Tensor gradient = graph.addVariable(FLOAT, {rows, columns}, "gradient");
  poputil::mapTensorLinearly(graph, gradient);

  Sequence product, prog;
  poplin::matMulWithOutput(graph, left, right, gradient, product);
  prog.add(program::Repeat(c.repeatsTwice ? 2 : 1, product));
  update(graph, form, weights, gradient, rate, prog);
  if (c.hasMoment)
    popops::addInPlace(graph, moment, gradient, prog);
  graph.createHostRead("weights", weights);
  graph.createHostRead("moment", moment);
  if (c.readsGradient)
    graph.createHostRead("gradient", gradient);

  Engine engine(graph, prog);
  engine.load(device);
  const auto write = [&](const char *name, std::size_t count, unsigned seed) {
    const std::vector<float> values = randomValues(count, seed);
    engine.writeTensor(name, values.data(), values.data() + count);
  };
  write("weights", rows * columns, 1);
  write("left", rows * depth, 2);
  if (!c.readsWeights)
    write("right", depth * columns, 3);
  write("rate", 1, 4);
  write("moment", rows * columns, 5);
  for (int i = 0; i < 2; ++i)
    engine.run();

  const auto read = [&](const char *name) {
    std::vector<float> values(rows * columns);
    engine.readTensor(name, values.data(), values.data() + values.size());
    return values;
  };
  return {read("weights"),
          c.readsGradient ? read("gradient") : std::vector<float>(),
          read("moment")};
}

} // namespace

TEST(UpdateFusion, ChangesNoBit) {
  const std::pair<std::size_t, std::size_t> shapes[] = {
      {1, 1}, {7, 5}, {49, 65}, {100, 130}};
  for (const UpdateCase &c : kUpdates)
    for (const auto &[rows, columns] : shapes)
      for (const Form form :
           {Form::subtractConstant, Form::addConstant, Form::subtractTensor,
            Form::expression, Form::ownElement}) {
        SCOPED_TRACE(std::string(c.name) + ", form " +
                     std::to_string(int(form)) + ", " + std::to_string(rows) +
                     " x " + std::to_string(columns));
        const Updated apart = run(c, form, rows, columns, "0", "1");
        for (const char *threads : {"1", "2", "4"})
          EXPECT_TRUE(run(c, form, rows, columns, "1", threads) == apart);
      }
}

TEST(UpdateFusion, TakesTheGradientTimesTheRate) {
  const Updated updated =
      run(kUpdates[3], Form::subtractConstant, 7, 5, "1", "2");
  const std::vector<float> before = randomValues(7 * 5, 1);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const float step = 0.3f * updated.gradient[i];
    EXPECT_EQ(updated.weights[i], (before[i] - step) - step) << i;
  }
}
