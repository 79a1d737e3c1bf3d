// Specs that cannot be built, and what they say.
#include "graph/model_shapes.hpp"
#include "graph/models.hpp"
#include "tests/graph/small_model.hpp"

#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

namespace popscope::graph {
namespace {

using testing::HasSubstr;
using tests::smallSpec;

std::string errorOf(const TrainingSpec &spec) {
  poplar::IPUModel model("ipu2");
  model.tilesPerIPU = 16;
  poplar::Graph graph(model.createDevice().getTarget());
  try {
    buildTrainingGraph(graph, spec);
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
  return "no error";
}

std::string errorAfter(const std::function<void(TrainingSpec &)> &change) {
  TrainingSpec spec = smallSpec();
  change(spec);
  return errorOf(spec);
}

TEST(SpecErrors, NameTheLayer) {
  using Change = std::function<void(TrainingSpec &)>;
  const std::vector<std::pair<Change, const char *>> wrong = {
      {[](auto &s) {
         s.model.layers[0].kind = Conv{4, 7};
       },
       "[graph] layer conv: a kernel of 7 does not fit into (6, 6, 1)"},
      {[](auto &s) {
         s.model.layers[0].kind = Conv{0, 3};
       },
       "[graph] layer conv: the number of filters is zero"},
      {[](auto &s) { s.model.layers[1].kind = MaxPool{5}; },
       "[graph] layer pool: a window of 5 does not fit into (4, 4, 4)"},
      {[](auto &s) { s.model.layers[1].kind = MaxPool{0}; },
       "[graph] layer pool: a window of 0 does not fit"},
      {[](auto &s) { s.model.layers[2].kind = Dropout{1.0f}; },
       "[graph] layer flatten: dropout rate 1.000000 is not in [0, 1)"},
      {[](auto &s) { s.model.layers[2].kind = Dropout{0.1f}; },
       "[graph] layer hidden: a dense layer needs one row of features, not "
       "(2, 2, 4)"},
      {[](auto &s) { s.model.layers[3].kind = Dense{0}; },
       "[graph] layer hidden: the number of units is zero"},
      {[](auto &s) {
         s.model.layers[3].kind = Dense{5, Activation::softmax};
       },
       "[graph] layer hidden: only the last layer can end in softmax"},
      {[](auto &s) { s.model.layers[3].kind = GlobalMaxPool{}; },
       "[graph] layer hidden: global pooling needs (height, width, channels), "
       "not (16)"},
      {[](auto &s) { s.model.layers[4].kind = Dense{10}; },
       "[graph] layer out: the last layer must be dense with softmax"},
      {[](auto &s) { s.model.layers[3].name = "conv"; },
       "[graph] layer conv: another layer has this name"},
      {[](auto &s) { s.model.layers[0].stage = 1; },
       "[graph] layer conv: stage 1 of the first layer is not 0"},
      {[](auto &s) { s.model.layers[2].stage = 2; },
       "[graph] layer flatten: stage 2 does not follow stage 0"},
      {[](auto &s) { s.model.layers[4].stage = 0; },
       "[graph] layer out: stage 0 does not follow stage 1"},
      {[](auto &s) { s.pipelined = true; },
       "[graph] layer out: stage 1 has no IPU; the device has 1"},
  };
  for (const auto &[change, message] : wrong)
    EXPECT_THAT(errorAfter(change), HasSubstr(message));
}

TEST(SpecErrors, NameWhatElseIsWrong) {
  using Change = std::function<void(TrainingSpec &)>;
  const std::vector<std::pair<Change, const char *>> wrong = {
      {[](auto &s) { s.model.layers.clear(); },
       "model small: it has no layers"},
      {[](auto &s) { s.model.layers[1].name.clear(); },
       "model small: layer 1 has no name"},
      {[](auto &s) {
         s.model.input = {6, 6};
       },
       "model small: its input (6, 6) is neither"},
      {[](auto &s) { s.batchSize = 0; }, "the batch size is zero"},
      {[](auto &s) { s.predictBatchSize = s.batchSize + 1; },
       "program predict has more images than a micro-batch"},
      {[](auto &s) { s.accumulation = 0; },
       "an update accumulates no micro-batches"},
      {[](auto &s) { s.updatesPerRun = 0; }, "a run makes no updates"},
      {[](auto &s) { s.precision = poplar::INT; },
       "precision must be FLOAT or HALF"},
      {[](auto &s) { s.lossScale = 0.0f; }, "the loss scale 0.000000"},
      {[](auto &s) { s.optimizer.kind = Sgd{1.5f}; },
       "optimizer: momentum 1.500000 is not in [0, 1)"},
      {[](auto &s) {
         s.optimizer.kind = RmsProp{0.9f, 0.0f};
       },
       "optimizer: epsilon 0.000000 is not positive"},
      {[](auto &s) {
         s.optimizer.kind = Adam{0.9f, -1.0f};
       },
       "optimizer: beta2 -1.000000 is not in [0, 1)"},
  };
  for (const auto &[change, message] : wrong)
    EXPECT_THAT(errorAfter(change), HasSubstr(message));
}

TEST(SpecErrors, NamedModelsHaveNone) {
  for (const ModelSpec &model :
       {mlpModel(), mlpModel(MlpLayers::withoutDense256), cnnModel(),
        gmpCnnModel(), fashionModel(), digitsModel()})
    EXPECT_EQ(outputShapes(model).back(), std::vector<std::size_t>{10})
        << model.name;
}

} // namespace
} // namespace popscope::graph
