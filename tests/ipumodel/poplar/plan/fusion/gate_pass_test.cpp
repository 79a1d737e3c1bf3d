#include "test_program.hpp"

#include <gmock/gmock.h>
#include <map>

namespace ipumodel {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "maker" makes a gradient from x, "gate" lets it through where x is above
// zero, and the host reads the result.
struct Model : TestProgram {
  poplar::Tensor x = add("x"), gradient = add("gradient"),
                 result = add("result"), other = add("other");

  Model() { graph.createHostRead("result", result); }
  void addMaker(Trait trait = Trait::absorbs) {
    add(ByItems{trait}, "maker", {gradient}, {x});
  }
  void addGate() {
    add(ByItems{Trait::gates}, "gate", {result}, {gradient, x});
  }

  std::size_t offsetOf(const poplar::Tensor &t) {
    return builder().contiguousOffset(t.getImpl()->view, 4).value();
  }
  Chain gated() { return absorbGates(keepPrivate(chain(), facts()), facts()); }
  std::vector<bool> absorbed() {
    std::vector<bool> is;
    for (const ChainLink &link : gated().links)
      is.push_back(link.isAbsorbed);
    return is;
  }
};

} // namespace

TEST(GatePass, LetsAStageMakeOnlyWhatTheGateLetsThrough) {
  Model m;
  m.addMaker();
  m.addGate();
  m.plan();
  const Chain chain = m.gated();
  EXPECT_TRUE(chain.links[1].isAbsorbed);
  EXPECT_EQ(chain.links[0].items[0].offset, m.offsetOf(m.result));
  EXPECT_EQ(static_cast<const TestStage &>(*chain.links[0].stage).gatedBy, 1u);
  EXPECT_EQ(chain.privates.count(m.offsetOf(m.gradient)), 0u);
  EXPECT_THAT(m.explained(),
              HasSubstr("fusion: gate: 'maker' (test.byItems) also does "
                        "'gate' (test.byItems)\n"));
}

TEST(GatePass, TakesAReLUToAnotherPlace) {
  Model m;
  m.addMaker();
  m.add(ByItems{Trait::relus}, "relu", {m.result}, {m.gradient});
  m.plan();
  const Chain chain = m.gated();
  EXPECT_TRUE(chain.links[1].isAbsorbed);
  EXPECT_EQ(chain.links[0].items[0].offset, m.offsetOf(m.result));
}

TEST(GatePass, LeavesAReLUOfWhatOthersReadApart) {
  Model m;
  m.addMaker();
  m.add(ByItems{Trait::relus}, "relu", {m.result}, {m.gradient});
  m.add(ByItems{}, "reader", {m.other}, {m.gradient});
  m.plan();
  EXPECT_FALSE(m.absorbed()[1]);
}

TEST(GatePass, TakesAGateInPlace) {
  Model m;
  m.addMaker();
  m.add(ByItems{Trait::gates}, "gate", {m.gradient}, {m.gradient, m.x});
  m.graph.createHostRead("gradient", m.gradient);
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, true));
}

TEST(GatePass, KeepsAGateInPlacePrivate) {
  Model m;
  m.addMaker();
  m.add(ByItems{Trait::gates}, "gate", {m.gradient}, {m.gradient, m.x});
  m.plan();
  EXPECT_EQ(m.gated().privates.count(m.offsetOf(m.gradient)), 1u);
}

TEST(GatePass, DoesNothingIfItIsOff) {
  Model m;
  m.addMaker();
  m.addGate();
  m.plan("-gate");
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false));
}

TEST(GatePass, AsksTheStage) {
  Model m;
  m.addMaker(Trait::none);
  m.addGate();
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false));
  EXPECT_THAT(m.explained(), HasSubstr("fusion: no gate: "));
}

TEST(GatePass, LeavesOutAGradientThatTheHostReads) {
  Model m;
  m.addMaker();
  m.addGate();
  m.graph.createHostRead("gradient", m.gradient);
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false));
}

TEST(GatePass, LeavesOutAGradientThatAnotherStageReads) {
  for (const bool isBefore : {true, false}) {
    Model m;
    m.addMaker();
    const auto addReader = [&] {
      m.add(ByItems{}, "reader", {m.other}, {m.gradient});
    };
    if (isBefore)
      addReader();
    m.addGate();
    if (!isBefore)
      addReader();
    m.plan();
    EXPECT_THAT(m.absorbed(), ElementsAre(false, false, false)) << isBefore;
  }
}

TEST(GatePass, LeavesOutAConditionThatChangesInBetween) {
  Model m;
  m.addMaker();
  m.add(ByItems{}, "change", {m.x}, {m.other});
  m.addGate();
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false, false));
}

TEST(GatePass, LeavesOutAResultThatIsUsedInBetween) {
  Model m;
  m.addMaker();
  m.add(ByItems{}, "reader", {m.other}, {m.result});
  m.addGate();
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false, false));
}

TEST(GatePass, LeavesOutAConditionThatTheMakerDoesNotRead) {
  Model m;
  m.addMaker();
  m.add(ByItems{Trait::gates}, "gate", {m.result}, {m.gradient, m.other});
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false));
}

TEST(GatePass, LeavesOutAResultThatTheMakerReads) {
  Model m;
  m.add(ByItems{Trait::absorbs}, "maker", {m.gradient}, {m.x, m.result});
  m.addGate();
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false));
}

TEST(GatePass, LeavesOutAGradientThatIsSummedBefore) {
  Model m;
  m.addMaker();
  m.add(ByItems{Trait::sums}, "sum", {m.add("sum", {4})}, {m.gradient, m.x});
  m.add(ByItems{Trait::gates}, "gate", {m.gradient}, {m.gradient, m.x});
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false, false));
}

TEST(GatePass, LooksPastWhatTheMakerAlreadyDoes) {
  Model m;
  m.addMaker();
  m.add(ByItems{}, "in place", {m.gradient}, {m.gradient});
  m.addGate();
  m.plan();
  Chain absorbed = absorbEpilogues(m.chain(), m.facts());
  ASSERT_TRUE(absorbed.links[1].isAbsorbed);
  const Chain gated =
      absorbGates(keepPrivate(std::move(absorbed), m.facts()), m.facts());
  EXPECT_TRUE(gated.links[2].isAbsorbed);
}

TEST(GatePass, LeavesWhatTheMakerAlreadyDoes) {
  Model m;
  m.addMaker();
  m.add(ByItems{Trait::gates}, "gate", {m.gradient}, {m.gradient, m.x});
  m.graph.createHostRead("gradient", m.gradient);
  m.plan();
  Chain chain = m.chain();
  chain.links[1].isAbsorbed = true;
  const Chain gated = absorbGates(std::move(chain), m.facts());
  EXPECT_FALSE(static_cast<const TestStage &>(*gated.links[0].stage)
                   .gatedBy.has_value());
}

// It is to see the result of the last run, which has to be stored for it.
TEST(GatePass, TakesASkippedBranchBeforeTheGateForOneBeforeTheMaker) {
  Model m;
  const poplar::Tensor taken = m.add("taken", {}, poplar::INT);
  const auto addBranch = [&](const char *name) {
    poplar::program::Sequence look;
    addNative(look, Other{}, {m.other}, {m.result}, {name});
    m.prog.add(poplar::program::If(taken, look, poplar::program::Sequence()));
  };
  m.add(ByItems{}, "first", {m.x}, {m.other});
  m.addMaker();
  addBranch("between");
  m.addGate();
  addBranch("after");
  m.plan();
  Line line = m.units();
  line[2].isSkipped = line[4].isSkipped = true;
  std::vector<Group> groups =
      formChains(std::move(line), m.facts(), m.builder());
  const Chain gated = absorbGates(
      keepPrivate(std::move(groups.at(0).chain.value()), m.facts()), m.facts());
  ASSERT_TRUE(gated.links[2].isAbsorbed);
  std::map<std::string, std::size_t> positions;
  for (const Chain::Skipped &skipped : gated.skipped)
    positions[skipped.node->name] = skipped.position;
  EXPECT_EQ(positions["between"], 1u);
  EXPECT_EQ(positions["after"], 3u);
}

TEST(GatePass, TakesAResultThatIsReadBeforeItsMakerRuns) {
  Model m;
  m.add(ByItems{}, "reader", {m.other}, {m.result});
  m.addMaker();
  m.addGate();
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false, true));
}

TEST(GatePass, TakesTheGateOfAGate) {
  Model m;
  const poplar::Tensor between = m.add("between");
  m.addMaker();
  m.add(ByItems{Trait::gates}, "first gate", {between}, {m.gradient, m.x});
  m.add(ByItems{Trait::gates}, "gate", {m.result}, {between, m.x});
  m.plan();
  const Chain chain = m.gated();
  EXPECT_TRUE(chain.links[2].isAbsorbed);
  EXPECT_EQ(chain.links[0].items[0].offset, m.offsetOf(m.result));
}

} // namespace ipumodel
