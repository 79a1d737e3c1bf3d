#include "summary/proto/event.pb.h"
#include "summary/proto/graph.pb.h"
#include "summary/values/graph.hpp"
#include "summary/values/run_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::summary {
namespace {

using std::chrono::microseconds;
using testing::ElementsAre;
using testing::HasSubstr;

GraphDescription twoNodes() {
  GraphNode input;
  input.name = "stage_0/input";
  input.op = "Placeholder";
  input.outputShapes = {{-1, 28, 28, 1}};
  GraphNode conv;
  conv.name = "stage_0/conv";
  conv.op = "Conv2D";
  conv.inputs = {"stage_0/input:0"};
  conv.controlInputs = {"stage_0/input"};
  conv.device = "/ipu:0";
  conv.attributes = {{"strides", Shape{1, 1}},
                     {"fused", true},
                     {"filters", std::int64_t(32)},
                     {"rate", 0.5F},
                     {"padding", std::string("same")}};
  return {{input, conv}};
}

std::string rejection(const GraphDescription &graph) {
  try {
    toGraphDef(graph);
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
  return "";
}

TEST(Graph, NodesKeepScopesDevicesShapesAndAttributes) {
  proto::GraphDef graph;
  ASSERT_TRUE(graph.ParseFromString(toGraphDef(twoNodes())));
  ASSERT_EQ(graph.node_size(), 2);
  const auto &conv = graph.node(1);
  EXPECT_EQ(conv.name(), "stage_0/conv");
  EXPECT_EQ(conv.op(), "Conv2D");
  EXPECT_EQ(conv.device(), "/ipu:0");
  EXPECT_THAT(conv.input(), ElementsAre("stage_0/input:0", "^stage_0/input"));
  EXPECT_TRUE(conv.attr().at("fused").b());
  EXPECT_EQ(conv.attr().at("filters").i(), 32);
  EXPECT_EQ(conv.attr().at("rate").f(), 0.5F);
  EXPECT_EQ(conv.attr().at("padding").s(), "same");
  EXPECT_EQ(conv.attr().at("strides").shape().dim_size(), 2);
  const auto &shapes = graph.node(0).attr().at("_output_shapes").list();
  ASSERT_EQ(shapes.shape_size(), 1);
  EXPECT_EQ(shapes.shape(0).dim(0).size(), -1);
  EXPECT_EQ(shapes.shape(0).dim(1).size(), 28);
}

TEST(Graph, SameGraphGivesSameBytes) {
  EXPECT_EQ(toGraphDef(twoNodes()), toGraphDef(twoNodes()));
}

TEST(Graph, RefusesWhatThePageCannotDraw) {
  EXPECT_THAT(rejection({}), HasSubstr("at least one node"));
  auto graph = twoNodes();
  graph.nodes[1].inputs = {"stage_0/inptu"};
  EXPECT_THAT(rejection(graph),
              HasSubstr("\"stage_0/conv\" has the input \"stage_0/inptu\""));
  graph = twoNodes();
  graph.nodes[1].name = "stage_0/input";
  EXPECT_THAT(rejection(graph), HasSubstr("twice"));
  for (const char *name : {"", "a b", "a\"b", "größe", "_a", "a:0"}) {
    graph = twoNodes();
    graph.nodes[0].name = name;
    EXPECT_THAT(rejection(graph), HasSubstr("name")) << name;
  }
  graph = twoNodes();
  graph.nodes[0].op = "say \"hi\"";
  EXPECT_THAT(rejection(graph), HasSubstr("op or device"));
}

std::string jsonOf(const LayerGraph &model) {
  const Value value = toValue(model);
  proto::Summary::Value message;
  EXPECT_TRUE(message.ParseFromString(value.body));
  return message.tensor().string_val(0);
}

TEST(LayerGraph, ChainIsASequentialModel) {
  EXPECT_EQ(jsonOf({"m", {{"a", "Conv2D", {}}, {"b", "Dense", {}}}}),
            R"({"class_name":"Sequential","config":{"name":"m","layers":[)"
            R"({"class_name":"Conv2D","config":{"name":"a"}},)"
            R"({"class_name":"Dense","config":{"name":"b"}}]}})");
}

TEST(LayerGraph, LayersWithInputsAreAFunctionalModel) {
  const std::string json =
      jsonOf({"m", {{"a", "Input", {}}, {"b", "Add", {"a", "a"}}}});
  EXPECT_THAT(json, HasSubstr(R"("class_name":"Functional")"));
  EXPECT_THAT(json, HasSubstr(R"("keras_history":["a",0,0])"));
  EXPECT_THAT(json, HasSubstr(R"("input_layers":[["a",0,0]])"));
  EXPECT_THAT(json, HasSubstr(R"("output_layers":[["b",0,0]])"));
  EXPECT_THROW(toValue(LayerGraph{"m", {{"a", "Add", {"b"}}}}),
               std::invalid_argument);
}

TEST(RunProfile, GroupsNodesByDevice) {
  const RunProfile profile{
      {{"a", "/ipu:0", microseconds(10), microseconds(5), 100, {{2, 3}}},
       {"b", "/ipu:1", microseconds(15), microseconds(7), 0, {}},
       {"c", "/ipu:0", microseconds(22), microseconds(1), 0, {}}}};
  proto::RunMetadata message;
  ASSERT_TRUE(message.ParseFromString(toRunMetadata(profile)));
  ASSERT_EQ(message.step_stats().dev_stats_size(), 2);
  const auto &first = message.step_stats().dev_stats(0);
  EXPECT_EQ(first.device(), "/ipu:0");
  ASSERT_EQ(first.node_stats_size(), 2);
  EXPECT_EQ(first.node_stats(0).node_name(), "a");
  EXPECT_EQ(first.node_stats(0).all_start_micros(), 10);
  EXPECT_EQ(first.node_stats(0).all_end_rel_micros(), 5);
  EXPECT_EQ(first.node_stats(0).memory(0).total_bytes(), 100);
  EXPECT_EQ(
      first.node_stats(0).output(0).tensor_description().shape().dim(1).size(),
      3);
  EXPECT_EQ(first.node_stats(1).node_name(), "c");
}

} // namespace
} // namespace popscope::summary
