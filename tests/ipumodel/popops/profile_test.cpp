// What a profile and the listings show for native operations: the vertices that
// PopLibs has for them.
#include "operators.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Reduce.hpp>
#include <pva/pva.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

using namespace operators;
using namespace poplar;
using popops::expr::_1;
using popops::expr::_2;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

struct Profiled {
  std::vector<std::string> computeSets;
  std::set<std::string> vertexTypes;
  std::vector<unsigned> tiles; // of the vertices
  bool allHaveCycles = true;
};

Profiled profileOf(Bench &bench) {
  Engine engine(bench.graph, bench.prog);
  engine.load(bench.device);
  Profiled result;
  const pva::Compilation compilation =
      engine.getReport(/*reportExecution=*/false).compilation();
  for (const pva::ComputeSet &set : compilation.computeSets()) {
    result.computeSets.push_back(set.name());
    for (const pva::VertexInstance &vertex : set.vertices()) {
      result.vertexTypes.insert(vertex.type().name());
      result.tiles.push_back(vertex.tile());
      result.allHaveCycles &= vertex.estimatedCycles() > 0;
    }
  }
  EXPECT_EQ(compilation.graph().numComputeSets(), result.computeSets.size());
  EXPECT_EQ(compilation.graph().numVertices(), result.tiles.size());
  return result;
}

TEST(OperatorProfile, AddIsOneComputeSetWithAVertexOnEachTileOfItsResult) {
  Bench bench(4);
  const Tensor a = bench.variable(FLOAT, {512});
  const Tensor b = bench.variable(FLOAT, {512});
  popops::add(bench.graph, a, b, bench.prog, "sum");
  const Profiled profile = profileOf(bench);
  EXPECT_THAT(profile.computeSets, ElementsAre("sum/Op/Add"));
  EXPECT_THAT(profile.vertexTypes,
              ElementsAre("popops::BinaryOp1D<popops::expr::BinaryOpType::"
                          "ADD,float>"));
  EXPECT_THAT(profile.tiles, ElementsAre(0u, 1u, 2u, 3u));
  EXPECT_TRUE(profile.allHaveCycles);
}

TEST(OperatorProfile, NamesTheFormsOfElementWiseVertices) {
  const auto vertexOf = [](auto &&build) {
    Bench bench(2);
    const Tensor a = bench.variable(FLOAT, {512});
    const Tensor b = bench.variable(FLOAT, {512});
    build(bench, a, b);
    const Profiled profile = profileOf(bench);
    EXPECT_EQ(profile.computeSets.size(), 1u);
    EXPECT_EQ(profile.vertexTypes.size(), 1u);
    return profile.vertexTypes.empty() ? "" : *profile.vertexTypes.begin();
  };
  EXPECT_EQ(vertexOf([](Bench &bench, const Tensor &a, const Tensor &) {
              popops::expInPlace(bench.graph, a, bench.prog);
            }),
            "popops::UnaryOp1DInPlace<popops::expr::UnaryOpType::EXPONENT,"
            "float>");
  EXPECT_EQ(vertexOf([](Bench &bench, const Tensor &a, const Tensor &) {
              popops::mul(bench.graph, a, 2.0f, bench.prog);
            }),
            "popops::BroadcastScalar1D<popops::expr::BinaryOpType::MULTIPLY,"
            "float>");
  EXPECT_EQ(vertexOf([](Bench &bench, const Tensor &a, const Tensor &b) {
              popops::map(bench.graph, (_1 + _2) * _1, {a, b}, bench.prog);
            }),
            "popops::map::ADD_MULTIPLY_float");
  EXPECT_EQ(vertexOf([](Bench &bench, const Tensor &a, const Tensor &) {
              popops::cast(bench.graph, a, HALF, bench.prog);
            }),
            "popops::Cast1D<float,half>");
  EXPECT_EQ(vertexOf([](Bench &bench, const Tensor &a, const Tensor &) {
              popops::fill(bench.graph, a, bench.prog, 3.0f);
            }),
            "popops::Fill<float>");
  EXPECT_EQ(vertexOf([](Bench &bench, const Tensor &a, const Tensor &) {
              popops::reduce(bench.graph, a, {0},
                             popops::ReduceParams(popops::Operation::MAX),
                             bench.prog);
            }),
            "popops::Reduce<popops::ReduceMax,float,float,false,"
            "popops::ReductionSpecialisation::DEFAULT>");
}

TEST(OperatorProfile, PartOfAComputeSetAddsItsVerticesToIt) {
  Bench bench(4);
  const Tensor a = bench.variable(FLOAT, {512});
  const Tensor b = bench.variable(HALF, {512});
  const ComputeSet cs = bench.graph.addComputeSet("both");
  popops::cast(bench.graph, a, b, cs);
  bench.prog.add(program::Execute(cs));
  const Profiled profile = profileOf(bench);
  EXPECT_THAT(profile.computeSets, ElementsAre("both"));
  EXPECT_THAT(profile.vertexTypes, ElementsAre("popops::Cast1D<float,half>"));
  EXPECT_EQ(profile.tiles.size(), 4u);
}

TEST(OperatorProfile, ProgramThatRunsTwiceHasItsVerticesOnce) {
  Bench bench(4);
  const Tensor a = bench.variable(FLOAT, {512});
  program::Sequence once;
  popops::addInPlace(bench.graph, a, a, once, "twice");
  bench.prog.add(once);
  bench.prog.add(program::Repeat(2, once));
  const Profiled profile = profileOf(bench);
  EXPECT_THAT(profile.computeSets, ElementsAre("twice/Op/Add"));
  EXPECT_EQ(profile.tiles.size(), 4u);
}

TEST(OperatorListing, GraphsAndProgramsShowOperations) {
  Bench bench(4);
  const Tensor a =
      bench.graph.addVariable(FLOAT, {512}, VariableMappingMethod::LINEAR, "a");
  const Tensor b =
      bench.graph.addVariable(FLOAT, {512}, VariableMappingMethod::LINEAR, "b");
  popops::addInPlace(bench.graph, a, b, bench.prog, "sum");
  std::ostringstream sets, vertices, listing;
  bench.graph.outputComputeGraph(sets, {bench.prog});
  EXPECT_THAT(sets.str(), HasSubstr("label=\"sum/Op/Add\""));
  EXPECT_THAT(sets.str(), HasSubstr("-> op0"));
  bench.graph.outputVertexGraph(vertices, {bench.prog});
  EXPECT_THAT(vertices.str(), HasSubstr("popops::BinaryOp1DInPlace<"));
  dumpProgram(bench.graph, bench.prog, listing);
  EXPECT_EQ(listing.str(),
            "Sequence\n  Execute 'sum/Op/Add' popops::BinaryOp1DInPlace<popops"
            "::expr::BinaryOpType::ADD,float> a{512} b{512} -> a{512}\n");
}

TEST(OperatorListing, ReductionOfNothingIsACopyAndAnEmptyOneIsNothing) {
  Bench bench(4);
  const popops::ReduceParams sum(popops::Operation::ADD);
  const auto listingOf = [&](const Shape &shape,
                             const std::vector<std::size_t> &dims) {
    program::Sequence prog;
    popops::reduce(bench.graph, bench.variable(FLOAT, shape), dims, sum, prog);
    std::ostringstream listing;
    dumpProgram(bench.graph, prog, listing);
    return listing.str();
  };
  EXPECT_THAT(listingOf({2, 2, 1}, {2}), HasSubstr("Copy"));
  EXPECT_THAT(listingOf({2, 2, 1}, {2}), Not(HasSubstr("Execute")));
  EXPECT_THAT(listingOf({2, 0, 1}, {2}), Not(HasSubstr("Copy")));
  EXPECT_THAT(listingOf({2, 0, 1}, {2}), Not(HasSubstr("Execute")));
  EXPECT_THAT(listingOf({2, 0, 1}, {1}), HasSubstr("Execute"));
}

} // namespace
