#include "poplar/plan/fusion/branches_pass.hpp"
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
  poplar::program::If branch(const poplar::Tensor &word,
                             const Sequence &elsePart = {}) {
    Sequence body;
    addNative(body, Other{}, {x}, {x}, {"body"});
    return {word, body, elsePart, {"branch"}};
  }
  void addBranch(const poplar::Tensor &word) { prog.add(branch(word)); }
  void addCopy() { prog.add(poplar::program::Copy(taken, other)); }

  // The first and the last program of each line.
  std::vector<std::pair<std::string, std::string>>
  found(Reach reach = Reach::operations, const char *fusion = "1") {
    plan(fusion);
    const std::vector<ProgramPtr> programs = line();
    std::vector<std::pair<std::string, std::string>> ends;
    for (const BranchLine &each : findBranchLines(programs, reach, facts()))
      ends.emplace_back((*each.begin)->name, (*(each.end - 1))->name);
    return ends;
  }
};

} // namespace

TEST(BranchesPass, GoesOnAcrossBranches) {
  Model m;
  m.addOperation("first");
  m.addBranch(m.taken);
  m.addOperation("second");
  m.addBranch(m.other);
  m.addOperation("third");
  EXPECT_THAT(m.found(), ElementsAre(std::pair("first", "third")));
}

TEST(BranchesPass, LeavesOutALineWithoutABranch) {
  Model m;
  m.addOperation("first");
  m.addVertices();
  m.addOperation("second");
  EXPECT_THAT(m.found(), IsEmpty());
}

TEST(BranchesPass, BeginsAndEndsALineWithAnOperation) {
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

TEST(BranchesPass, EndsALineBeforeOtherPrograms) {
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

TEST(BranchesPass, GoesOnAcrossTransfers) {
  Model m;
  m.addOperation("first");
  m.addBranch(m.taken);
  m.addCopy();
  m.addOperation("last");
  EXPECT_THAT(m.found(Reach::transfers),
              ElementsAre(std::pair("first", "last")));
}

TEST(BranchesPass, EndsALineBeforeABranchThatATransferDecides) {
  Model m;
  m.addOperation("first");
  m.addBranch(m.taken);
  m.addOperation("second");
  m.addCopy(); // to `other`
  m.addBranch(m.other);
  m.addOperation("last");
  EXPECT_THAT(m.found(Reach::transfers),
              ElementsAre(std::pair("first", "second")));
}

TEST(BranchesPass, EndsALineBeforeABranchThatAComputeSetDecides) {
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

TEST(BranchesPass, EndsALineBeforeABranchThatIsDecidedInIt) {
  Model m;
  m.addOperation("first");
  m.addBranch(m.other);
  m.addDecision("decision", m.taken);
  m.addBranch(m.taken);
  m.addOperation("last");
  EXPECT_THAT(m.found(), ElementsAre(std::pair("first", "decision")));
}

TEST(BranchesPass, BeginsALineAfterWhatDecidesABranch) {
  Model m;
  m.addOperation("first");
  m.addDecision("decision", m.taken);
  m.addOperation("second");
  m.addBranch(m.taken);
  m.addOperation("last");
  EXPECT_THAT(m.found(), ElementsAre(std::pair("second", "last")));
}

TEST(BranchesPass, DoesNothingIfItIsOff) {
  Model m;
  m.addOperation("first");
  m.addBranch(m.taken);
  m.addOperation("last");
  EXPECT_THAT(m.found(Reach::operations, "-branches"), IsEmpty());
}

TEST(BranchesPass, EndsALineBeforeABranchWithAnElsePart) {
  Model m;
  Sequence elsePart;
  addNative(elsePart, Other{}, {m.x}, {m.x}, {"else"});
  m.addOperation("first");
  m.prog.add(m.branch(m.taken, elsePart));
  m.addOperation("last");
  EXPECT_THAT(m.found(), IsEmpty());
}

// It is counted whether or not it is taken.
TEST(BranchesPass, EndsALineBeforeABranchThatIsProfiled) {
  Model m;
  m.addOperation("first");
  m.addBranch(m.taken);
  m.addOperation("last");
  m.profile("branch");
  EXPECT_THAT(m.found(), IsEmpty());
}

TEST(BranchesPass, EndsALineBeforeABranchThatRunsElsewhere) {
  Model m;
  const poplar::program::If branch = m.branch(m.taken);
  m.addOperation("first");
  m.prog.add(branch);
  m.addOperation("last");
  m.prog.add(branch);
  EXPECT_THAT(m.found(), IsEmpty());
}

} // namespace ipumodel
