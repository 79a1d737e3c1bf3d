#include "test_program.hpp"

#include <gmock/gmock.h>

namespace ipumodel {

namespace {

using testing::HasSubstr;

struct Model : TestProgram {
  poplar::Tensor x = add("x"), y = add("y"), out = add("out");
  void addMaker() { add(Other{}, "maker", {y}, {x}); }
  void addUser() { add(Saver{}, "user", {out}, {x}); }
  void addChange() { add(Update{}, "change", {x}, {x}); }
  std::vector<Workspace> edges() {
    return findWorkspaces(executable().programs, facts());
  }
};

} // namespace

TEST(WorkspacePass, IsAnEdgeFromTheMakerToTheUser) {
  Model m;
  m.addChange();
  m.addMaker();
  m.addUser();
  m.plan();
  const std::vector<Workspace> edges = m.edges();
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].maker->name, "maker");
  EXPECT_EQ(edges[0].user->name, "user");
  EXPECT_EQ(edges[0].bytes, 24u);
  EXPECT_THAT(m.explained(), HasSubstr("fusion: workspace: 'maker' "));
}

TEST(WorkspacePass, DoesNothingIfItIsOff) {
  for (const char *fusion : {"-workspace", "0"}) {
    Model m;
    m.addMaker();
    m.addUser();
    m.plan(fusion);
    EXPECT_TRUE(m.edges().empty());
  }
}

TEST(WorkspacePass, LeavesOutWhatOtherTensorsAreFor) {
  Model m;
  m.addMaker();
  m.add(Saver{}, "user", {m.out}, {m.y});
  m.plan();
  EXPECT_TRUE(m.edges().empty());
}

TEST(WorkspacePass, LeavesOutWhatMayChangeInBetween) {
  Model m;
  m.addMaker();
  m.addChange();
  m.addUser();
  m.plan();
  EXPECT_TRUE(m.edges().empty());
  EXPECT_THAT(m.explained(), HasSubstr("fusion: no workspace: 'maker' "));
}

TEST(WorkspacePass, LeavesOutWhatAnotherProgramMayChange) {
  Model m;
  m.addMaker();
  m.addUser();
  poplar::program::Sequence other;
  addNative(other, Update{}, {m.x}, {m.x}, {"change"});
  m.plan("1", {other});
  EXPECT_TRUE(m.edges().empty());
}

TEST(WorkspacePass, LeavesOutWhatTheHostMayChange) {
  Model m;
  m.addMaker();
  m.addUser();
  m.graph.createHostWrite("x", m.x);
  m.plan();
  EXPECT_TRUE(m.edges().empty());
}

} // namespace ipumodel
