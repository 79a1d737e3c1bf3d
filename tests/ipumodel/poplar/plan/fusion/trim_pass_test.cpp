#include "test_program.hpp"

#include <gmock/gmock.h>

namespace ipumodel {

namespace {

using testing::HasSubstr;

// "maker" makes b from a, "reader" makes c from b and reads a part of it.
struct Model : TestProgram {
  poplar::Tensor a = add("a"), b = add("b"), c = add("c"), d = add("d");

  Model() {
    graph.createHostRead("c", c);
    graph.createHostRead("d", d);
  }
  void addMaker(Trait trait = Trait::trims) {
    add(ByItems{trait}, "maker", {b}, {a});
  }
  void addReader(Trait trait = Trait::readsPart) {
    add(ByItems{trait}, "reader", {c}, {b});
  }

  // What the first stage makes; empty if that is all.
  std::optional<ItemPart> made() {
    const Chain trimmed = trim(keepPrivate(chain(), facts()), facts());
    return static_cast<const TestStage &>(*trimmed.links[0].stage).made;
  }
};

} // namespace

TEST(TrimPass, LetsAStageMakeOnlyWhatOthersRead) {
  Model m;
  m.addMaker();
  m.addReader();
  m.plan();
  const std::optional<ItemPart> made = m.made();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->usedLines, 1u);
  EXPECT_EQ(made->usedBytes, 4u);
  EXPECT_THAT(m.explained(),
              HasSubstr("fusion: trim: 'maker' (test.byItems) makes 1 of 2 "
                        "lines, 4 of 8 bytes of each\n"));
}

TEST(TrimPass, DoesNothingIfItIsOff) {
  Model m;
  m.addMaker();
  m.addReader();
  m.plan("-trim");
  EXPECT_FALSE(m.made());
}

TEST(TrimPass, LeavesWhatIsStored) {
  Model m;
  m.addMaker();
  m.addReader();
  m.graph.createHostRead("b", m.b);
  m.plan();
  EXPECT_FALSE(m.made());
}

TEST(TrimPass, LeavesWhatAnotherStageMayReadAllOf) {
  Model m;
  m.addMaker();
  m.addReader();
  m.add(ByItems{}, "other", {m.d}, {m.b});
  m.plan();
  EXPECT_FALSE(m.made());
}

TEST(TrimPass, LeavesWhatAnotherStageChanges) {
  Model m;
  m.addMaker();
  m.add(ByItems{}, "change", {m.b}, {m.b});
  m.addReader();
  m.plan();
  EXPECT_FALSE(m.made());
}

TEST(TrimPass, AsksTheStage) {
  Model m;
  m.addMaker(Trait::none);
  m.addReader();
  m.plan();
  EXPECT_FALSE(m.made());
  EXPECT_EQ(m.explained().find("fusion: trim"), std::string::npos);
}

TEST(TrimPass, LeavesWhatAnotherStageChangesAPartOf) {
  Model m;
  m.addMaker();
  m.add(ByItems{Trait::readsPart}, "change", {m.b}, {m.b});
  m.addReader();
  m.plan();
  EXPECT_FALSE(m.made());
}

TEST(TrimPass, LeavesWhatOthersTogetherReadAllOf) {
  for (const bool isLineFirst : {true, false}) {
    Model m;
    m.addMaker();
    m.addReader(isLineFirst ? Trait::readsLine : Trait::readsLeft);
    m.add(ByItems{isLineFirst ? Trait::readsLeft : Trait::readsLine}, "other",
          {m.d}, {m.b});
    m.plan();
    EXPECT_FALSE(m.made()) << isLineFirst;
  }
}

TEST(TrimPass, LeavesWhatOthersReadOtherLinesOf) {
  Model m;
  m.addMaker();
  m.addReader();
  m.add(ByItems{Trait::readsFew}, "other", {m.d}, {m.b});
  m.plan();
  EXPECT_FALSE(m.made());
}

TEST(TrimPass, LeavesWhatAStageMakesBesides) {
  Model m;
  m.add(ByItems{Trait::trims}, "maker", {m.d, m.b}, {m.a});
  m.addReader();
  m.plan();
  EXPECT_FALSE(m.made());
}

TEST(TrimPass, DoesNotCountWhoOnlyNamesTheTensor) {
  Model m;
  m.addMaker();
  m.addReader();
  m.add(ByItems{Trait::knows}, "namer", {m.d}, {m.b});
  m.plan();
  EXPECT_TRUE(m.made());
}

TEST(TrimPass, DoesNotCountWhatTheMakerAlreadyDoes) {
  Model m;
  m.addMaker();
  m.add(ByItems{}, "in place", {m.b}, {m.b});
  m.addReader();
  m.plan();
  Chain chain = keepPrivate(m.chain(), m.facts());
  chain.links[1].isAbsorbed = true;
  const Chain trimmed = trim(std::move(chain), m.facts());
  EXPECT_TRUE(static_cast<const TestStage &>(*trimmed.links[0].stage).made);
}

} // namespace ipumodel
