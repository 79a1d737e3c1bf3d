#include "poplar/plan/batch_chain.hpp"
#include "test_program.hpp"

#include <gmock/gmock.h>
#include <tuple>

namespace ipumodel {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// How many operations each group has; 0 if it is not a chain.
std::vector<std::size_t> linksOf(TestProgram &m) {
  std::vector<std::size_t> links;
  for (const Group &group : formChains(m.units(), m.facts(), m.builder()))
    links.push_back(group.chain ? group.chain->links.size() : 0);
  return links;
}

struct Model : TestProgram {
  poplar::Tensor a = add("a"), b = add("b"), c = add("c");
  void addFirst() { add(ByItems{}, "first", {b}, {a}); }
  void addSecond() { add(ByItems{}, "second", {c}, {b}); }
};

} // namespace

TEST(ChainPass, CombinesOperationsOnTheItemsOfABatch) {
  Model m;
  m.addFirst();
  m.addSecond();
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(2));
  EXPECT_THAT(m.explained(), HasSubstr("fusion: chain: 'first' (test.byItems), "
                                       "'second' (test.byItems)\n"));
}

TEST(ChainPass, DoesNothingIfItIsOff) {
  Model m;
  m.addFirst();
  m.addSecond();
  m.plan("-chain");
  EXPECT_THAT(linksOf(m), ElementsAre(0, 0));
}

TEST(ChainPass, GoesOnAfterProgramsThatDoNothing) {
  Model m;
  m.addFirst();
  m.prog.add(poplar::program::WriteUndef(m.c));
  m.prog.add(poplar::program::Sequence());
  m.addSecond();
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(2));
}

TEST(ChainPass, EndsAtOtherOperations) {
  Model m;
  m.addFirst();
  m.add(Other{}, "other", {m.a}, {m.a});
  m.addSecond();
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(1, 0, 1));
  EXPECT_THAT(m.explained(),
              HasSubstr("fusion: no chain: 'other' (test.other) not after "
                        "'first' (test.byItems): it is not done item by item"));
}

TEST(ChainPass, EndsBeforeAnOperationThatNeedsAllItems) {
  Model m;
  const poplar::Tensor wide = m.add("wide", {16, 4});
  m.addFirst();
  m.add(ByItems{}, "second", {wide}, {m.b});
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(1, 1));
}

TEST(ChainPass, EndsBeforeAnOperationOnItemsElsewhereInATensor) {
  Model m;
  const poplar::Tensor both = m.add("both", {16, 4});
  m.add(ByItems{}, "first", {both.slice(0, 8)}, {m.a});
  m.add(ByItems{}, "second", {m.c}, {both.slice(4, 12)});
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(1, 1));
  EXPECT_THAT(m.explained(), HasSubstr("it needs all items of 'both', as does "
                                       "'first' (test.byItems)"));
}

TEST(ChainPass, LeavesOutSmallBatchesOtherTypesAndOtherOrders) {
  TestProgram m;
  m.add(ByItems{}, "small", {m.add("s", {7, 4})}, {});
  m.add(ByItems{}, "half", {m.add("h", {8, 4}, poplar::HALF)}, {});
  m.add(ByItems{}, "turned", {m.add("t", {4, 8}).transpose()}, {});
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(0, 0, 0));
  for (const char *why : {"'small' (test.byItems): a tensor has fewer than 8",
                          "'half' (test.byItems): a tensor is half, not FLOAT",
                          "'turned' (test.byItems): the items of a tensor"})
    EXPECT_THAT(m.explained(), HasSubstr(why));
}

TEST(ChainPass, KeepsWhatOccursTwiceApart) {
  Model m;
  poplar::program::Sequence part;
  addNative(part, ByItems{}, {m.b}, {m.a}, {"part"});
  m.prog.add(part);
  m.prog.add(part);
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(0, 0));
}

TEST(ChainPass, CombinesOperationsThatReadElsewhereInATensor) {
  Model m;
  const poplar::Tensor both = m.add("both", {16, 4});
  m.add(ByItems{}, "first", {m.b}, {both.slice(0, 8)});
  m.add(ByItems{}, "second", {m.c}, {both.slice(4, 12)});
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(2));
}

TEST(ChainPass, EndsBeforeAnOperationOnItemsOfAnotherSize) {
  Model m;
  const poplar::Tensor wide = m.add("wide", {8, 8});
  m.add(ByItems{}, "first", {wide}, {m.a});
  m.add(ByItems{}, "second", {m.c},
        {wide.flatten().slice(0, 32).reshape({8, 4})});
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(1, 1));
}

TEST(ChainPass, EndsBeforeAnOperationOnABatchOfAnotherSize) {
  Model m;
  m.addFirst();
  m.add(ByItems{}, "second", {m.add("wide", {16, 4})}, {});
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(1, 1));
}

TEST(ChainPass, EndsWhereOneReadsAllAndTheOtherMakesItems) {
  for (const bool makesFirst : {true, false}) {
    Model m;
    const auto addMaker = [&] { m.addFirst(); };
    if (makesFirst)
      addMaker();
    m.add(ByItems{}, "reader", {m.c}, {m.b.reshape({16, 2})});
    if (!makesFirst)
      addMaker();
    m.plan();
    EXPECT_THAT(linksOf(m), ElementsAre(1, 1)) << makesFirst;
  }
}

TEST(ChainPass, EndsBeforeAnOperationThatNeedsASum) {
  Model m;
  const poplar::Tensor sum = m.add("sum", {4});
  m.add(ByItems{Trait::sums}, "sum", {sum}, {m.a});
  m.add(ByItems{}, "second", {m.c}, {m.b, sum});
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(1, 1));
}

TEST(ChainPass, ChangesAtItsEndWhatIsReadBefore) {
  for (const auto &[reader, writer, isChain] :
       {std::tuple(Trait::none, Trait::sumsLate, true),
        std::tuple(Trait::none, Trait::sums, false),
        std::tuple(Trait::sumsLate, Trait::sumsLate, false)}) {
    Model m;
    const poplar::Tensor w = m.add("w", {3});
    const poplar::Tensor sum = m.add("sum", {2});
    if (reader == Trait::none)
      m.add(ByItems{reader}, "reader", {m.b}, {m.a, w});
    else
      m.add(ByItems{reader}, "reader", {sum}, {m.a, w});
    m.add(ByItems{writer}, "writer", {w}, {m.a});
    m.plan();
    EXPECT_EQ(linksOf(m).size() == 1, isChain) << int(reader) << int(writer);
  }
}

TEST(ChainPass, RunsWhatIsAloneBeforeItIfItCan) {
  Model m;
  const poplar::Tensor u = m.add("u", {3}), v = m.add("v", {3});
  m.addFirst();
  m.add(ByItems{Trait::alone}, "alone", {u}, {v, u});
  m.addSecond();
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(0, 2));
  EXPECT_THAT(m.explained(),
              HasSubstr("fusion: chain: 'alone' (test.byItems) runs before "
                        "'first' (test.byItems)\n"));
}

TEST(ChainPass, RunsASmallLightBatchOfAnotherSizeBeforeIt) {
  for (const bool isSmall : {true, false}) {
    Model m;
    const poplar::Tensor u = m.add("u", {16, isSmall ? 1023u : 1024u});
    m.addFirst();
    m.add(ByItems{Trait::light}, "light", {u}, {u});
    m.addSecond();
    m.plan();
    if (isSmall)
      EXPECT_THAT(linksOf(m), ElementsAre(0, 2));
    else
      EXPECT_THAT(linksOf(m), ElementsAre(1, 0, 1));
  }
}

TEST(ChainPass, EndsBeforeWhatIsAloneAndDependsOnIt) {
  for (const bool reads : {true, false}) { // what the chain makes
    Model m;
    const poplar::Tensor u = m.add("u", {3});
    m.addFirst();
    if (reads)
      m.add(ByItems{Trait::alone}, "alone", {u}, {m.b});
    else
      m.add(ByItems{Trait::alone}, "alone", {m.a}, {u});
    m.addSecond();
    m.plan();
    EXPECT_THAT(linksOf(m), ElementsAre(1, 0, 1)) << reads;
  }
}

TEST(ChainPass, KeepsAPairThatWasJoinedApart) {
  Model m;
  m.addFirst();
  m.addSecond();
  m.plan();
  Line line = m.units();
  line[1].joined = std::make_shared<Joined>(
      Joined{{line[1].program->op->what, {}, {}}, Step()});
  const std::vector<Group> groups =
      formChains(std::move(line), m.facts(), m.builder());
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_FALSE(groups[1].chain);
}

TEST(ChainPass, KeepsAnOperationOfTwoSequencesApart) {
  Model m;
  poplar::program::Sequence part;
  addNative(part, ByItems{}, {m.b}, {m.a}, {"part"});
  poplar::program::Sequence other = part;
  other.add(poplar::program::WriteUndef(m.c)); // both have the operation
  m.prog.add(part);
  m.prog.add(other);
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(0, 0));
}

TEST(ChainPass, KeepsWhatIsProfiledApart) {
  Model m;
  m.addFirst();
  m.addSecond();
  m.profile("second");
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(1, 0));
}

// What the first reads is at the place that is written, and was there before.
TEST(ChainPass, EndsBeforeAnOperationThatWritesToWhatOneReadsElsewhere) {
  Model m;
  const poplar::Tensor both = m.add("both", {16, 4});
  m.add(ByItems{}, "first", {m.b}, {both.slice(0, 8)});
  m.add(ByItems{}, "second", {m.c}, {both.slice(4, 12)});
  m.add(ByItems{}, "third", {both.slice(0, 8)}, {m.a});
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(2, 1));
  EXPECT_THAT(m.explained(), HasSubstr("it needs all items of 'both', as does "
                                       "'second' (test.byItems)"));
}

TEST(ChainPass, EndsBeforeASumThatReplacesItemsThatAreRead) {
  Model m;
  m.addFirst();
  m.add(ByItems{Trait::sums}, "sum", {m.a}, {m.c});
  m.plan();
  EXPECT_THAT(linksOf(m), ElementsAre(1, 1));
}

TEST(ChainPass, IsInTheProfileUnderTheNamesOfTheOperations) {
  Model m;
  m.addFirst();
  m.addSecond();
  m.plan();
  lowerChain(m.chain(), m.builder());
  ASSERT_EQ(m.steps().size(), 2u);
  EXPECT_EQ(m.steps()[1].kind, "test.byItems");
  EXPECT_EQ(m.steps()[1].name, "second");
}

} // namespace ipumodel
