// Names of SDK 1, which programs ask for with -DIPUMODEL_SDK1.
#define IPUMODEL_SDK1
#include "profiled_graph.hpp"

#include <poplar/ProfileValue.hpp>

#include <gtest/gtest.h>

using namespace profiletest;

TEST(Sdk1, ProfilesAreTreesOfTheReport) {
  ProfiledGraph g;
  const Sequence loop = Repeat(3, Execute(g.add("cs", 0, 1, 60)));
  Engine engine = g.run(loop, {{"debug.instrument", "true"}});
  const ProfileValue graph = engine.getGraphProfile();
  EXPECT_EQ(graph["graph"]["numVertices"].asUint(), 1u);
  EXPECT_EQ(graph["target"]["numTiles"].asUint(), 8u);
  EXPECT_EQ(graph["memory"]["byTile"]["total"].size(), 8u);
  EXPECT_EQ(graph["computeSets"]["names"][0].asString(), "cs");

  const auto simulation = engine.getExecutionProfile()["simulation"];
  ASSERT_EQ(simulation["steps"].size(), 6u); // an exchange before each
  EXPECT_EQ(simulation["steps"][1]["type"].asString(), "OnTileExecute");
  std::uint64_t cycles = 0;
  for (const auto &step : simulation["steps"].asVector())
    cycles += step["cycles"].asUint();
  EXPECT_EQ(simulation["cycles"].asUint(), cycles);
  std::ostringstream json;
  serializeToJSON(json, engine.getGraphProfile(), false);
  EXPECT_EQ(json.str().front(), '{');
}
