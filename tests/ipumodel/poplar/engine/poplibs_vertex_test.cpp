// Vertices of PopLibs that programs add by name.
#include "model.hpp"

#include <gmock/gmock.h>

using namespace poplar;
using namespace poplar::program;
using enginetest::Model;
using testing::ElementsAre;

TEST(PoplibsVertices, ReduceClassSparseFindsTheLabelOfTheExtreme) {
  for (const std::string extreme : {"Max", "Min"}) {
    Model m;
    const std::string field = extreme == "Max" ? "max" : "min";
    const Tensor values = m.add(FLOAT, {5}, "values");
    const Tensor labels = m.add(UNSIGNED_INT, {5}, "labels");
    const Tensor value = m.add(FLOAT, {}, "value");
    const Tensor label = m.add(UNSIGNED_INT, {}, "label");
    const ComputeSet cs = m.graph.addComputeSet("reduce");
    const VertexRef v = m.graph.addVertex(
        cs, "popnn::Reduce" + extreme + "ClassSparse<float,unsigned int>",
        {{"activations", values},
         {"labels", labels},
         {field + "Value", value},
         {field + "Index", label}});
    m.graph.setTileMapping(v, 0);
    m.load(Execute(cs));
    m.write<float>("values", {1, -7, 9, 9, -7});
    m.write<unsigned>("labels", {10, 11, 12, 13, 14});
    m.engine->run(0);
    EXPECT_THAT(m.read<float>("value", 1),
                ElementsAre(extreme == "Max" ? 9 : -7));
    EXPECT_THAT(m.read<unsigned>("label", 1),
                ElementsAre(extreme == "Max" ? 12u : 11u)); // the first of them
  }
}

TEST(PoplibsVertices, ElementWiseVerticesComputeTheirOperator) {
  Model m;
  const Tensor a = m.add(FLOAT, {3}, "a"), b = m.add(FLOAT, {3}, "b");
  const Tensor sum = m.add(FLOAT, {3}, "sum"), filled = m.add(INT, {2}, "f");
  const ComputeSet cs = m.graph.addComputeSet("elements");
  const auto add = [&](const std::string &name,
                       const std::vector<std::pair<std::string, Tensor>> &io) {
    const VertexRef v = m.graph.addVertex(cs, name);
    for (const auto &[field, tensor] : io)
      m.graph.connect(v[field], tensor);
    m.graph.setTileMapping(v, 0);
    return v;
  };
  add("popops::BinaryOp1D<popops::expr::BinaryOpType::SUBTRACT,float>",
      {{"in1", a}, {"in2", b}, {"out", sum}});
  m.graph.setInitialValue(add("popops::Fill<int>", {{"out", filled}})["in"], 7);
  const ComputeSet after = m.graph.addComputeSet("after");
  const VertexRef square = m.graph.addVertex(
      after,
      "popops::UnaryOp1DInPlace<popops::expr::UnaryOpType::SQUARE,float>",
      {{"inOut", sum}});
  m.graph.setTileMapping(square, 0);
  m.load(Sequence{Execute(cs), Execute(after)});
  m.write<float>("a", {1, 2, 3});
  m.write<float>("b", {4, 2, -1});
  m.engine->run(0);
  EXPECT_THAT(m.read<float>("sum", 3), ElementsAre(9, 0, 16));
  EXPECT_THAT(m.read<int>("f", 2), ElementsAre(7, 7));
}

TEST(PoplibsVertices, OthersAreUnknown) {
  Model m;
  const ComputeSet cs = m.graph.addComputeSet("cs");
  EXPECT_THROW(m.graph.addVertex(cs, "popops::DynamicSlice1D<float>"),
               unknown_vertex_type);
}
