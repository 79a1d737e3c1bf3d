#include "expect_error.hpp"

#include <poplar/Graph.hpp>
#include <poplar/MetadataCreation.hpp>

#include <array>
#include <gmock/gmock.h>
#include <sstream>

namespace {

using namespace poplar;
using testing::ElementsAre;

class VariablesTest : public testing::Test {
protected:
  Graph graph{Target::createIPUTarget(1, 4, "ipu2")};

  template <class T> std::vector<T> valuesOf(const Tensor &t) {
    std::vector<T> values;
    for (std::size_t i = 0; i < t.numElements(); ++i) {
      T value{};
      EXPECT_TRUE(t.flatten()[i].getConstantValue(&value));
      values.push_back(value);
    }
    return values;
  }
};

TEST_F(VariablesTest, TakeShapesInEveryForm) {
  EXPECT_EQ(graph.addVariable(FLOAT, {}, "x").rank(), 0u);
  const std::size_t a = 2, b = 3;
  EXPECT_THAT(graph.addVariable(FLOAT, {a, b}, "x").shape(), ElementsAre(2, 3));
  const std::array<std::size_t, 2> shape = {4, 5};
  EXPECT_THAT(graph.addVariable(FLOAT, shape).shape(), ElementsAre(4, 5));
  const std::vector<std::size_t> list = {6};
  EXPECT_THAT(graph.addVariable(FLOAT, list, VariableMappingMethod::LINEAR, "x")
                  .shape(),
              ElementsAre(6));
}

TEST_F(VariablesTest, ConstantsAreConvertedToTheirType) {
  EXPECT_THAT(valuesOf<float>(
                  graph.addConstant<float>(FLOAT, {4}, {1.0, 1.5, 2.0, 2.5})),
              ElementsAre(1.0f, 1.5f, 2.0f, 2.5f));
  EXPECT_THAT(valuesOf<float>(graph.addConstant<float>(FLOAT, {1}, {2.0f})),
              ElementsAre(2.0f));
  EXPECT_THAT(valuesOf<int>(graph.addConstant(UNSIGNED_INT, {1}, 0)),
              ElementsAre(0));
  EXPECT_THAT(valuesOf<double>(graph.addConstant(HALF, {2}, 0.1)),
              ElementsAre(0.0999755859375, 0.0999755859375));
  const int ints[] = {1, -2, 3};
  EXPECT_THAT(valuesOf<float>(graph.addConstant(FLOAT, {3}, ints)),
              ElementsAre(1, -2, 3));
  const std::vector<unsigned> numbers = {7, 8};
  EXPECT_THAT(valuesOf<int>(graph.addConstant(
                  INT, {2}, ArrayRef<unsigned>(numbers), "numbers")),
              ElementsAre(7, 8));
  EXPECT_THAT(valuesOf<float>(graph.addConstantHalf(HALF, {1}, 0x3e00)),
              ElementsAre(1.5f));
}

TEST_F(VariablesTest, CountsThatDoNotMatchAreNamedInTheError) {
  expectError<poplar_error>(
      [&] {
        graph.addConstant<float>(FLOAT, {4}, {1, 2, 3});
      },
      {"addConstant", "3 values", "{4}", "4 elements", __FILE__});
  const Tensor t = graph.addVariable(FLOAT, {2, 2}, "t");
  const std::vector<float> values(5);
  expectError<poplar_error>(
      [&] { graph.setInitialValue(t, ArrayRef<float>(values)); },
      {"setInitialValue", "'t'", "5 values", "4 elements"});
}

TEST_F(VariablesTest, InitialValuesAreOnlyForVariables) {
  const Tensor one = graph.addConstant(FLOAT, {1}, 1.0f, "one");
  expectError<poplar_error>([&] { graph.setInitialValue(one, 2.0f); },
                            {"setInitialValue", "'one'", "constants"});
  const Tensor t = graph.addVariable(FLOAT, {2}, "t");
  graph.setInitialValue(t, 1);
  graph.setInitialValue<float>(t, {1.0f, 2.0f});
  Graph other(graph.getTarget());
  expectError<poplar_error>([&] { other.setInitialValue(t, 1.0f); },
                            {"'t'", "another graph"});
}

TEST_F(VariablesTest, CanBeFoundByTheirReference) {
  const Tensor t = graph.addVariable(INT, {2, 3}, "t");
  const VariableRef ref = t.getVarRegions()[0].var;
  EXPECT_EQ(graph.getVariable(ref), t.flatten());
  EXPECT_FALSE(graph.isConstant(ref));
  const Tensor c = graph.addConstant(INT, {}, 1);
  EXPECT_TRUE(graph.isConstant(c.getVarRegions()[0].var));
  expectError<poplar_error>([&] { graph.getVariable(VariableRef()); },
                            {"getVariable"});
}

TEST_F(VariablesTest, TheReplicaIndexIsConstantButHasNoSingleValue) {
  const Tensor index = graph.addReplicationIndexConstant("replica");
  EXPECT_EQ(index.elementType(), UNSIGNED_INT);
  EXPECT_EQ(index.rank(), 0u);
  EXPECT_TRUE(index.containsConstant());
  unsigned value;
  EXPECT_FALSE(index.getConstantValue(&value));
}

TEST_F(VariablesTest, QuartersComeWithMetadata) {
  const auto format = QuarterMetadata::Format::F143;
  const Tensor metadata = createConstantMetadataTensor(graph, format, 3);
  EXPECT_EQ(metadata.elementType(), QUARTER_METADATA);
  const Tensor q = graph.addConstant(QUARTER, metadata, {2}, 40.0f);
  EXPECT_TRUE(q.hasMetadata());
  EXPECT_EQ(q.getMetadata(), metadata);
  EXPECT_THAT(valuesOf<float>(q), ElementsAre(40.0f, 40.0f));
  EXPECT_TRUE(q.slice(0, 1).hasMetadata());
  EXPECT_TRUE(graph.clone(q).hasMetadata());
  EXPECT_FALSE(graph.clone(FLOAT, q).hasMetadata());

  expectError<tensor_metadata_error>(
      [&] { graph.addConstant(QUARTER, {2}, 1.0f); },
      {"quarter", "needs metadata"});
  const Tensor own = graph.addVariable(QUARTER, {2}, "own");
  EXPECT_EQ(graph.getTileMapping(own.getMetadata())[0].size(), 1u);
  EXPECT_NE(own.getMetadata(), graph.addVariable(QUARTER, {2}).getMetadata());
  expectError<tensor_metadata_error>(
      [&] { graph.addVariable(FLOAT, metadata, {2}); }, {"float"});
  const Tensor variable = createVariableMetadataTensor(graph, format, 0, "m");
  expectError<tensor_metadata_error>(
      [&] { graph.addConstant(QUARTER, variable, {2}, 1.0f); },
      {"'m'", "not constant"});
  EXPECT_TRUE(graph.addVariable(QUARTER, variable, {2}).hasMetadata());
  const Tensor t = graph.addVariable(FLOAT, {1}, "t");
  EXPECT_FALSE(t.hasMetadata());
  expectError<tensor_metadata_error>([&] { t.getMetadata(); }, {"'t'"});
}

TEST_F(VariablesTest, SerialisedTensorsComeBackAsNewVariables) {
  const Tensor t = graph.addVariable(FLOAT, {2, 3}, "t");
  const Tensor c = graph.addConstant<int>(INT, {2}, {5, 6}, "c");
  graph.setTileMapping(t, 2);
  graph.setTileMapping(c, 0);
  std::stringstream stream;
  graph.serializeTensors(stream, {t.transpose(), c},
                         SerializationFormat::Binary);
  Graph other(graph.getTarget());
  other.addVariable(INT, {1}, "in the way");
  const auto back =
      other.deserializeTensors(stream, SerializationFormat::Binary);
  ASSERT_EQ(back.size(), 2u);
  EXPECT_THAT(back[0].shape(), ElementsAre(3, 2));
  EXPECT_EQ(back[0].getVarStr(), "t");
  EXPECT_EQ(other.getTileMapping(back[0])[2].size(), 1u);
  EXPECT_THAT(valuesOf<int>(back[1]), ElementsAre(5, 6));
  EXPECT_FALSE(back[0].isContiguous());

  std::stringstream json;
  graph.serializeTensors(json, {t}, SerializationFormat::JSON);
  EXPECT_THAT(json.str(), testing::HasSubstr("\"shape\":[2,3]"));
  expectError<poplar_error>(
      [&] { other.deserializeTensors(json, SerializationFormat::JSON); },
      {"deserializeTensors"});
}

TEST(ReplicatedGraph, HasTheTargetOfOneReplica) {
  const Target target = Target::createIPUTarget(4, 8, "ipu2");
  Graph graph(target, replication_factor(2));
  EXPECT_EQ(graph.getReplicationFactor(), 2u);
  EXPECT_EQ(graph.getTarget().getNumIPUs(), 2u);
  EXPECT_EQ(graph.getTarget().getNumTiles(), 16u);
  expectError<graph_replication_error>(
      [&] { Graph(target, replication_factor(3)); }, {"4 IPUs", "3"});
  expectError<graph_replication_error>(
      [&] { Graph(target, replication_factor(0)); }, {"0"});
}

TEST(GraphValue, IsMovableAndSaysWhenItIsEmpty) {
  Graph graph(Target::createCPUTarget());
  const Tensor t = graph.addVariable(INT, {1});
  Graph moved(std::move(graph));
  moved.setTileMapping(t, 0);
  Graph empty;
  expectError<poplar_error>([&] { empty.getTarget(); }, {"no target"});
  empty = std::move(moved);
  EXPECT_EQ(empty.getTarget().getNumTiles(), 1u);
  EXPECT_THAT(versionString().cloneAsString(),
              testing::EndsWith(" (" + packageHash() + ")"));
}

} // namespace
