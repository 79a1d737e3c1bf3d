#include "poplar/plan/branch_lines.hpp"
#include "test_program.hpp"

#include <gmock/gmock.h>

namespace ipumodel {

namespace {

using poplar::program::Sequence;
using testing::ElementsAre;
using testing::IsEmpty;

// Operations, vertices and branches, each on tensors of its own unless the test
// says more.
struct Model : TestProgram {
  poplar::Tensor x = add("x"), taken = add("taken", {}, poplar::INT),
                 other = add("other", {}, poplar::INT),
                 status = add("status", {}, poplar::BOOL);

  void addOperation(const char *name) { add(Other{}, name, {x}, {x}); }
  // Decides whether a branch on `word` is taken.
  void addDecision(const char *name, const poplar::Tensor &word) {
    add(Other{}, name, {word}, {x});
  }
  void addVertices() {
    prog.add(poplar::program::Execute(graph.addComputeSet("vertices")));
  }
  void addBranch(const poplar::Tensor &word) {
    Sequence body;
    addNative(body, Other{}, {x}, {x}, {"body"});
    prog.add(poplar::program::If(word, body, Sequence()));
  }
  void addCopy() { prog.add(poplar::program::Copy(taken, other)); }

  // The first and the last program of each line, if copies have this role.
  using Role = BranchLines::Role;
  std::vector<std::pair<std::string, std::string>>
  found(Role roleOfCopies = Role::other) {
    plan();
    const auto roleOf = [&](const ProgramNode &program) {
      switch (program.kind) {
      case ProgramNode::Kind::native:
        return Role::operation;
      case ProgramNode::Kind::execute:
        return Role::vertices;
      case ProgramNode::Kind::branch:
        return Role::branch;
      case ProgramNode::Kind::copy:
        return roleOfCopies;
      default:
        return Role::other;
      }
    };
    const std::vector<ProgramPtr> programs = line();
    std::vector<std::pair<std::string, std::string>> ends;
    for (const BranchLines::Line &each :
         BranchLines(executable().graph, roleOf).find(programs))
      ends.emplace_back((*each.begin)->name, (*(each.end - 1))->name);
    return ends;
  }
};

} // namespace

TEST(BranchLines, GoOnAcrossBranches) {
  Model m;
  m.addOperation("first");
  m.addBranch(m.taken);
  m.addOperation("second");
  m.addBranch(m.other);
  m.addOperation("third");
  EXPECT_THAT(m.found(), ElementsAre(std::pair("first", "third")));
}

TEST(BranchLines, HaveABranch) {
  Model m;
  m.addOperation("first");
  m.addVertices();
  m.addOperation("second");
  EXPECT_THAT(m.found(), IsEmpty());
}

TEST(BranchLines, BeginAndEndWithAnOperation) {
  Model m;
  m.addBranch(m.taken);
  m.addVertices();
  m.addOperation("first");
  m.addVertices();
  m.addBranch(m.taken);
  m.addOperation("last");
  m.addVertices();
  m.addBranch(m.taken);
  EXPECT_THAT(m.found(), ElementsAre(std::pair("first", "last")));
}

TEST(BranchLines, AreEndedByOtherPrograms) {
  Model m;
  m.addOperation("a");
  m.addBranch(m.taken);
  m.addOperation("b");
  m.addCopy();
  m.addOperation("c");
  m.addBranch(m.taken);
  m.addOperation("d");
  EXPECT_THAT(m.found(), ElementsAre(std::pair("a", "b"), std::pair("c", "d")));
  Model none;
  none.addOperation("a");
  none.addBranch(none.taken);
  none.addCopy();
  none.addOperation("b");
  EXPECT_THAT(none.found(), IsEmpty());
}

TEST(BranchLines, GoOnAcrossTransfers) {
  Model m;
  m.addOperation("first");
  m.addBranch(m.taken);
  m.addCopy();
  m.addOperation("last");
  EXPECT_THAT(m.found(BranchLines::Role::transfer),
              ElementsAre(std::pair("first", "last")));
}

TEST(BranchLines, EndBeforeABranchThatATransferDecides) {
  Model m;
  m.addOperation("first");
  m.addBranch(m.taken);
  m.addOperation("second");
  m.addCopy(); // to `other`
  m.addBranch(m.other);
  m.addOperation("last");
  EXPECT_THAT(m.found(BranchLines::Role::transfer),
              ElementsAre(std::pair("first", "second")));
}

TEST(BranchLines, EndBeforeABranchThatAComputeSetDecides) {
  for (const bool isExitStatus : {false, true}) {
    Model m;
    const poplar::ComputeSet set = m.graph.addComputeSet("decision");
    m.addOperation("first");
    m.addBranch(m.other);
    m.addOperation("second");
    if (isExitStatus) {
      m.prog.add(poplar::program::Execute(set, m.status));
    } else {
      addNative(m.graph, set, Other{}, {m.status}, {m.x}, {"decision"});
      m.prog.add(poplar::program::Execute(set));
    }
    m.addBranch(m.status);
    m.addOperation("last");
    EXPECT_THAT(m.found(), ElementsAre(std::pair("first", "second")))
        << isExitStatus;
  }
}

TEST(BranchLines, EndBeforeABranchThatIsDecidedInThem) {
  Model m;
  m.addOperation("first");
  m.addBranch(m.other);
  m.addDecision("decision", m.taken);
  m.addBranch(m.taken);
  m.addOperation("last");
  EXPECT_THAT(m.found(), ElementsAre(std::pair("first", "decision")));
}

TEST(BranchLines, BeginAfterWhatDecidesABranch) {
  Model m;
  m.addOperation("first");
  m.addDecision("decision", m.taken);
  m.addOperation("second");
  m.addBranch(m.taken);
  m.addOperation("last");
  EXPECT_THAT(m.found(), ElementsAre(std::pair("second", "last")));
}

} // namespace ipumodel
