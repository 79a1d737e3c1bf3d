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
  m.add(Other{}, "first", {m.add("a")}, {m.add("b")});
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

TEST(WorkspacePass, LeavesOutAUserThatRunsBeforeTheMaker) {
  for (const bool isInRepeat : {false, true}) {
    Model m;
    m.addChange();
    poplar::program::Sequence part;
    addNative(part, Saver{}, {m.out}, {m.x}, {"user"});
    if (isInRepeat)
      m.prog.add(poplar::program::Repeat(2, part));
    else
      m.prog.add(part);
    m.addMaker();
    m.plan();
    EXPECT_TRUE(m.edges().empty()) << isInRepeat;
  }
}

TEST(WorkspacePass, LeavesOutAUserThatAFunctionMayRunBeforeTheMaker) {
  Model m;
  m.addChange();
  poplar::program::Sequence body;
  addNative(body, Saver{}, {m.out}, {m.x}, {"user"});
  m.prog.add(poplar::program::Call(m.graph.addFunction(body)));
  m.addMaker();
  m.plan();
  EXPECT_TRUE(m.edges().empty());
}

TEST(WorkspacePass, LeavesOutAResultThatMayChangeInBetween) {
  Model m;
  m.addMaker();
  m.add(Update{}, "change", {m.y}, {m.y});
  m.addUser();
  m.plan();
  EXPECT_TRUE(m.edges().empty());
}

TEST(WorkspacePass, LeavesOutAUserThatOccursTwice) {
  Model m;
  m.addMaker();
  poplar::program::Sequence part;
  addNative(part, Saver{}, {m.out}, {m.x}, {"user"});
  poplar::program::Sequence other = part;
  other.add(poplar::program::WriteUndef(m.out)); // both have the operation
  m.prog.add(part);
  m.prog.add(other);
  m.plan();
  EXPECT_TRUE(m.edges().empty());
}

TEST(WorkspacePass, HasOneMakerPerUser) {
  Model m;
  m.addMaker();
  m.add(Other{}, "other maker", {m.add("z")}, {m.x});
  m.addUser();
  m.plan();
  const std::vector<Workspace> edges = m.edges();
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].maker->name, "maker");
}

// It then uses what the last run made, of the same tensors.
TEST(WorkspacePass, IsForAUserThatRunsBeforeTheChange) {
  Model m;
  m.addUser();
  m.addChange();
  m.addMaker();
  m.plan();
  EXPECT_EQ(m.edges().size(), 1u);
}

TEST(WorkspacePass, IsForAUserInAnotherProgram) {
  Model m;
  m.addChange();
  m.addMaker();
  poplar::program::Sequence other;
  addNative(other, Saver{}, {m.out}, {m.x}, {"user"});
  m.plan("1", {other});
  EXPECT_EQ(m.edges().size(), 1u);
}

} // namespace ipumodel
