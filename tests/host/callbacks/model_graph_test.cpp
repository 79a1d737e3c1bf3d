#include "graph/models.hpp"
#include "host/callbacks/model_graph.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace popscope::host {
namespace {

using summary::GraphNode;
using ::testing::ElementsAre;

const GraphNode &node(const summary::GraphDescription &page,
                      const std::string &name) {
  const auto found =
      std::find_if(page.nodes.begin(), page.nodes.end(),
                   [&](const GraphNode &n) { return n.name == name; });
  if (found == page.nodes.end())
    throw std::out_of_range(name);
  return *found;
}

TEST(ModelPage, LayersAreInsideTheirStageWithShapes) {
  const auto page = describeGraph(graph::cnnModel(), 32);
  EXPECT_THAT(node(page, "stage_0/conv_0/Conv2D").outputShapes,
              ElementsAre(summary::Shape{32, 26, 26, 32}));
  EXPECT_THAT(node(page, "stage_0/conv_1/kernel").outputShapes,
              ElementsAre(summary::Shape{3, 3, 32, 64}));
  EXPECT_THAT(node(page, "stage_1/conv_2/Conv2D").inputs,
              ElementsAre("stage_0/pool_1/MaxPool", "stage_1/conv_2/kernel"));
  EXPECT_NE(node(page, "stage_0/conv_0/Relu").device,
            node(page, "stage_1/conv_2/Relu").device);
  EXPECT_THAT(page.nodes.back().outputShapes,
              ElementsAre(summary::Shape{32, 10}));
}

TEST(ModelPage, EveryModelCanBeDrawn) {
  for (const graph::ModelSpec &model :
       {graph::mlpModel(), graph::cnnModel(), graph::gmpCnnModel(),
        graph::fashionModel(), graph::digitsModel()}) {
    EXPECT_FALSE(summary::toGraphDef(describeGraph(model, 8)).empty())
        << model.name;
    EXPECT_EQ(describeLayers(model).layers.size(), model.layers.size());
  }
}

} // namespace
} // namespace popscope::host
