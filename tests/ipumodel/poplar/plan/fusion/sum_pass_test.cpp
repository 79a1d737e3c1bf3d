#include "test_program.hpp"

#include <gmock/gmock.h>
#include <optional>

namespace ipumodel {

namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// "maker" makes one term from x, "sum" adds it to another one, and the host
// reads the result.
struct Model : TestProgram {
  poplar::Tensor x = add("x"), made = add("made"), term = add("term"),
                 result = add("result"), other = add("other");

  Model() { graph.createHostRead("result", result); }
  void addMaker(Trait trait = Trait::absorbs) {
    add(ByItems{trait}, "maker", {made}, {x});
  }
  void addSum() { add(ByItems{Trait::adds}, "sum", {result}, {made, term}); }

  std::size_t offsetOf(const poplar::Tensor &t) {
    return builder().contiguousOffset(t.getImpl()->view, 4).value();
  }
  Chain summed() { return absorbSums(keepPrivate(chain(), facts()), facts()); }
  std::vector<bool> absorbed() {
    std::vector<bool> is;
    for (const ChainLink &link : summed().links)
      is.push_back(link.isAbsorbed);
    return is;
  }
};

std::optional<std::size_t> addedBy(const ChainLink &link) {
  return static_cast<const TestStage &>(*link.stage).added;
}

} // namespace

TEST(SumPass, LetsAStageAddTheOtherTerm) {
  for (const bool isSecond : {false, true}) {
    Model m;
    m.addMaker();
    if (isSecond)
      m.add(ByItems{Trait::adds}, "sum", {m.result}, {m.term, m.made});
    else
      m.addSum();
    m.plan();
    const Chain chain = m.summed();
    EXPECT_TRUE(chain.links[1].isAbsorbed);
    const ChainLink &maker = chain.links[0];
    EXPECT_EQ(maker.items[0].offset, m.offsetOf(m.result));
    EXPECT_EQ(addedBy(maker), 2u);
    EXPECT_EQ(maker.items.at(2).offset, m.offsetOf(m.term));
    EXPECT_EQ(chain.privates.count(m.offsetOf(m.made)), 0u);
    EXPECT_THAT(m.explained(),
                HasSubstr("fusion: sum: 'maker' (test.byItems) also does "
                          "'sum' (test.byItems)\n"));
  }
}

TEST(SumPass, TakesASumInThePlaceOfEitherTerm) {
  for (const bool isOfMade : {true, false}) {
    Model m;
    const poplar::Tensor &sum = isOfMade ? m.made : m.term;
    m.addMaker();
    m.add(ByItems{Trait::adds}, "sum", {sum}, {m.term, m.made});
    m.graph.createHostRead("sum", sum);
    m.plan();
    const Chain chain = m.summed();
    EXPECT_TRUE(chain.links[1].isAbsorbed);
    EXPECT_EQ(chain.links[0].items[0].offset, m.offsetOf(sum));
    EXPECT_EQ(chain.links[0].items[2].offset, m.offsetOf(m.term));
  }
}

TEST(SumPass, DoesNothingIfItIsOff) {
  Model m;
  m.addMaker();
  m.addSum();
  m.plan("-sum");
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false));
}

TEST(SumPass, AsksTheStage) {
  Model m;
  m.addMaker(Trait::none);
  m.addSum();
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false));
}

TEST(SumPass, LeavesOutATermThatTheHostReads) {
  Model m;
  m.addMaker();
  m.addSum();
  m.graph.createHostRead("made", m.made);
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false));
}

TEST(SumPass, LeavesOutATermThatAnotherStageReads) {
  for (const bool isBefore : {true, false}) {
    Model m;
    m.addMaker();
    const auto addReader = [&] {
      m.add(ByItems{}, "reader", {m.other}, {m.made});
    };
    if (isBefore)
      addReader();
    m.addSum();
    if (!isBefore)
      addReader();
    m.plan();
    EXPECT_THAT(m.absorbed(), Each(false)) << isBefore;
  }
}

TEST(SumPass, LeavesOutATermThatChangesInBetween) {
  Model m;
  m.addMaker();
  m.add(ByItems{}, "change", {m.term}, {m.other});
  m.addSum();
  m.plan();
  EXPECT_THAT(m.absorbed(), Each(false));
}

TEST(SumPass, LeavesOutATermThatTheMakerChanges) {
  Model m;
  m.add(ByItems{Trait::absorbs}, "maker", {m.made, m.term}, {m.x});
  m.addSum();
  m.plan();
  EXPECT_THAT(m.absorbed(), Each(false));
}

TEST(SumPass, LeavesOutAResultThatIsUsedInBetween) {
  Model m;
  m.addMaker();
  m.add(ByItems{}, "reader", {m.other}, {m.result});
  m.addSum();
  m.plan();
  EXPECT_THAT(m.absorbed(), Each(false));
}

TEST(SumPass, LeavesOutAResultThatTheMakerReads) {
  Model m;
  m.add(ByItems{Trait::absorbs}, "maker", {m.made}, {m.x, m.result});
  m.addSum();
  m.plan();
  EXPECT_THAT(m.absorbed(), Each(false));
}

TEST(SumPass, LeavesOutATensorThatIsAddedToItself) {
  Model m;
  m.addMaker();
  m.add(ByItems{Trait::adds}, "sum", {m.result}, {m.made, m.made});
  m.plan();
  EXPECT_THAT(m.absorbed(), Each(false));
}

TEST(SumPass, TakesTheReLUOfASum) {
  Model m;
  const poplar::Tensor out = m.add("out");
  m.addMaker();
  m.add(ByItems{Trait::adds}, "sum", {m.other}, {m.made, m.term});
  m.add(ByItems{Trait::relus}, "relu", {out}, {m.other});
  m.plan();
  const Chain chain = absorbGates(m.summed(), m.facts());
  EXPECT_TRUE(chain.links[1].isAbsorbed);
  EXPECT_TRUE(chain.links[2].isAbsorbed);
  EXPECT_EQ(chain.links[0].items[0].offset, m.offsetOf(out));
}

TEST(SumPass, DoesBothSumsOfThreeTerms) {
  Model m;
  const poplar::Tensor second = m.add("second"), both = m.add("both");
  m.addMaker();
  m.add(ByItems{Trait::absorbs}, "second maker", {second}, {m.x});
  m.add(ByItems{Trait::adds}, "sum", {both}, {m.made, second});
  m.add(ByItems{Trait::adds}, "second sum", {m.result}, {both, m.term});
  m.plan();
  const Chain chain = m.summed();
  EXPECT_TRUE(chain.links[2].isAbsorbed);
  EXPECT_TRUE(chain.links[3].isAbsorbed);
  EXPECT_EQ(chain.links[1].items[0].offset, m.offsetOf(m.result));
  EXPECT_EQ(chain.links[1].items.at(3).offset, m.offsetOf(m.term));
}

} // namespace ipumodel
