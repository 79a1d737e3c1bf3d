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
  void addReader() { add(ByItems{Trait::readsPart}, "reader", {c}, {b}); }

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

} // namespace ipumodel
