// The named models against PyTorch and Keras, whose results
// make_references.py wrote down.
#include "graph/models.hpp"
#include "tests/graph/test_trainer.hpp"
#include "tests/support/reference_file.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace popscope::graph {
namespace {

using tests::TestTrainer;
using tests::TestTrainerOptions;
using testsupport::ReferenceCase;
using testsupport::ReferenceReader;

constexpr unsigned kSteps = 20;

TrainingSpec specOf(const std::string &name) {
  TrainingSpec spec;
  if (name == "mlp")
    spec.model = mlpModel(), spec.optimizer = mlpOptimizer();
  else if (name == "cnn")
    spec.model = cnnModel(), spec.optimizer = cnnOptimizer();
  else if (name == "gmp-cnn")
    spec.model = gmpCnnModel(), spec.optimizer = gmpCnnOptimizer();
  else if (name == "fashion")
    spec.model = fashionModel(), spec.optimizer = fashionOptimizer();
  else
    spec.model = digitsModel(), spec.optimizer = digitsOptimizer();
  for (LayerSpec &layer : spec.model.layers)
    if (auto *dropout = std::get_if<Dropout>(&layer.kind))
      dropout->rate = 0.0f;
  return spec;
}

// Makes gradients readable by the host.
class GradientReader : public TapObserver {
public:
  void visit(poplar::Graph &graph, poplar::program::Sequence &,
             const TapPoint &point) override {
    if (point.kind == TensorKind::gradient &&
        point.moment == TapMoment::accumulated)
      graph.createHostRead(point.name, point.tensor);
  }
  void flush(poplar::Graph &, poplar::program::Sequence &, TapMoment) override {
  }
};

// The norm and samples of a tensor; `tolerance` is relative to the root mean
// square of its elements, or to the norm.
void expectNear(const std::vector<float> &values,
                const std::vector<float> &summary, double tolerance) {
  double squares = 0.0;
  for (const float value : values)
    squares += double(value) * double(value);
  const double norm = std::sqrt(squares);
  EXPECT_NEAR(norm, double(summary[0]), tolerance * norm);
  const double typical = norm / std::sqrt(double(values.size()));
  const std::size_t samples = summary.size() - 1;
  for (std::size_t i = 0; i < samples; ++i)
    EXPECT_NEAR(values[i * values.size() / samples], summary[i + 1],
                tolerance * typical)
        << "sample " << i;
}

class NamedModel : public testing::TestWithParam<ReferenceCase> {};

TEST_P(NamedModel, TrainsAsInTheReference) {
  const ReferenceCase &reference = GetParam();
  TrainingSpec spec = specOf(reference.text("model"));
  spec.batchSize = std::size_t(reference.number("batch"));
  GradientReader gradients;
  TestTrainerOptions options;
  options.taps = &gradients;
  TestTrainer trainer(spec, options);

  const auto expectGradients = [&](unsigned step, double tolerance) {
    for (const StateTensor &tensor : trainer.state()) {
      if (!tensor.trainable)
        continue;
      SCOPED_TRACE("gradient of " + tensor.name + " at step " +
                   std::to_string(step));
      std::vector<float> values(tests::elements(tensor.shape));
      trainer.engine().readTensor(tensor.name + "_grad", values.data(),
                                  values.data() + values.size());
      expectNear(
          values,
          reference
              .array("gradient " + std::to_string(step) + " " + tensor.name)
              .floats,
          tolerance);
    }
  };
  trainer.train();
  // One pass through the network, summed in another order.
  expectGradients(0, 1e-4);
  trainer.train(kSteps - 1);
  // RMSprop and Adam divide by the size of a gradient and so carry the error of
  // small ones into the weights.
  expectGradients(kSteps - 1, 2e-3);
  const auto weights = trainer.weights();
  for (const auto &[name, values] : weights) {
    SCOPED_TRACE(name);
    expectNear(values, reference.array("weight " + name).floats, 2e-3);
  }
  const std::vector<float> &losses = reference.array("losses").floats;
  ASSERT_EQ(losses.size(), trainer.losses().size());
  for (std::size_t step = 0; step < losses.size(); ++step)
    EXPECT_NEAR(trainer.losses()[step], losses[step],
                1e-4 * double(losses[step]))
        << "step " << step;
}

INSTANTIATE_TEST_SUITE_P(
    References, NamedModel,
    testing::ValuesIn(
        ReferenceReader(REFERENCE_DIR "/training.ref.gz").cases()),
    [](const testing::TestParamInfo<ReferenceCase> &info) {
      std::string name = info.param.text("model") + info.param.text("library");
      name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
      return name;
    });

} // namespace
} // namespace popscope::graph
