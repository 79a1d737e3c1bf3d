#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MeshGrid.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

using namespace poplar;
using poplin::ConvParams;
using poplin::PlanCosts;
using testing::ElementsAre;

namespace {

struct Model {
  Device device = IPUModel().createDevice();
  Graph graph{device.getTarget()};

  std::vector<float> valuesOf(const Tensor &t) {
    const Tensor copy = graph.addVariable(FLOAT, t.shape());
    graph.setTileMapping(copy, 0);
    graph.createHostRead("values", copy, true);
    Engine engine(graph, program::Copy(t, copy));
    engine.load(device);
    engine.run(0);
    std::vector<float> values(t.numElements());
    engine.readTensor("values", values.data(), values.data() + values.size());
    return values;
  }
};

TEST(ConvReports, DetailedCostsAddUpToTheTotal) {
  const Model model;
  ConvParams params(FLOAT, 2, {8, 8}, {3, 3}, 4, 6, 1);
  params.inputTransform.paddingLower = {1, 1};
  const auto costs =
      poplin::internal::reportDetailedPlanEstimatedCosts(model.graph, params);
  const PlanCosts whole = poplin::reportPlanEstimatedCosts(model.graph, params);
  std::size_t cycles = 0, memory = 0;
  costs.apply(
      [&](const PlanCosts &part) {
        cycles += part.cycles;
        memory += part.memory;
      },
      /*includeTotal=*/false);
  EXPECT_GT(whole.cycles, 0u);
  EXPECT_GT(whole.memory, 0u);
  EXPECT_EQ(cycles, whole.cycles);
  EXPECT_EQ(memory, whole.memory);
  EXPECT_EQ(costs.total.cycles, whole.cycles);
}

TEST(ConvReports, DetailedCostsAreReadAsTheyArePrinted) {
  poplin::internal::DetailedPlanCosts costs, read;
  std::size_t next = 1;
  costs.apply([&](PlanCosts &part) { part = {next++, next++}; });
  costs.serialSplit = 7;
  std::stringstream text;
  text << costs;
  text >> read;
  EXPECT_EQ(read.serialSplit, 7u);
  EXPECT_EQ(read.broadcast.cycles, 1u);
  EXPECT_EQ(read.total.memory, 26u);
  int parts = 0;
  read.apply([&](const PlanCosts &) { ++parts; }, false, true);
  EXPECT_EQ(parts, 8);
}

TEST(ConvReports, WeightsOfAFullyConnectedLayerSwapInputsAndOutputs) {
  Model model;
  const Tensor weights = model.graph.addConstant<float>(
      FLOAT, {1, 2, 3, 1}, ArrayRef<float>{0, 1, 2, 3, 4, 5});
  model.graph.setTileMapping(weights, 0);
  program::Sequence prog;
  const Tensor transposed = poplin::fullyConnectedWeightTranspose(
      model.graph, weights, ConvParams(FLOAT, 1, {1}, {1}, 2, 3, 1), prog);
  EXPECT_THAT(transposed.shape(), ElementsAre(1u, 3u, 2u, 1u));
  EXPECT_THAT(model.valuesOf(transposed), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THROW(poplin::fullyConnectedWeightTranspose(
                   model.graph, weights,
                   ConvParams(FLOAT, 1, {1, 1}, {1, 1}, 2, 3, 1), prog),
               poputil::poplibs_error);
}

TEST(MeshGrid, HasTheCoordinatesOfEveryPoint) {
  Model model;
  const Tensor x = poplin::linspace(model.graph, FLOAT, -1, 1, 3);
  const Tensor y = poplin::linspace(model.graph, FLOAT, 4, 5, 2);
  const std::vector<Tensor> grid = poplin::meshgrid2d(model.graph, x, y);
  ASSERT_EQ(grid.size(), 2u);
  EXPECT_THAT(grid[0].shape(), ElementsAre(2u, 3u));
  EXPECT_THAT(model.valuesOf(concat(grid[0].flatten(), grid[1].flatten())),
              ElementsAre(-1, 0, 1, -1, 0, 1, 4, 4, 4, 5, 5, 5));
  EXPECT_THROW(poplin::linspace(model.graph, INT, 0, 1, 2), poplar_error);
  EXPECT_THROW(poplin::meshgrid2d(model.graph, grid[0], y), poplar_error);
}

} // namespace
