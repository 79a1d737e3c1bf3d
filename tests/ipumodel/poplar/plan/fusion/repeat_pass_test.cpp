#include "test_program.hpp"

#include <gmock/gmock.h>

namespace ipumodel {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "first" and "second" sum the items of x.
struct Model : TestProgram {
  poplar::Tensor x = add("x"), y = add("y");
  poplar::Tensor u = add("u", {3}), v = add("v", {3});

  void addFirst(Trait trait = Trait::sums) {
    add(ByItems{trait}, "first", {u}, {x});
  }
  void addSecond() { add(ByItems{Trait::sums}, "second", {v}, {x}); }

  std::vector<bool> absorbed() {
    std::vector<bool> is;
    for (const ChainLink &link : leaveOutRepeats(chain(), facts()).links)
      is.push_back(link.isAbsorbed);
    return is;
  }
};

} // namespace

TEST(RepeatPass, UsesWhatAnEarlierStageHasMadeOfTheSameItems) {
  Model m;
  m.addFirst();
  m.add(ByItems{}, "between", {m.y}, {m.x});
  m.addSecond();
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false, true));
  EXPECT_THAT(m.explained(),
              HasSubstr("fusion: repeat: 'second' (test.byItems) uses what "
                        "'first' (test.byItems) has made\n"));
}

TEST(RepeatPass, DoesNothingIfItIsOff) {
  Model m;
  m.addFirst();
  m.addSecond();
  m.plan("-repeat");
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false));
}

TEST(RepeatPass, AsksTheStage) {
  Model m;
  m.addSecond();
  m.addFirst(Trait::sumsLate);
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false));
}

TEST(RepeatPass, LeavesOutItemsThatChangeInBetween) {
  Model m;
  m.addFirst();
  m.add(ByItems{}, "change", {m.x}, {m.y});
  m.addSecond();
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false, false));
}

TEST(RepeatPass, LeavesOutOtherItems) {
  Model m;
  m.addFirst();
  m.add(ByItems{Trait::sums}, "more", {m.v}, {m.x, m.y});
  m.add(ByItems{Trait::sums}, "other", {m.add("w", {3})}, {m.y});
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false, false));
}

// One that writes items makes them again, whatever it reads.
TEST(RepeatPass, LeavesOutWhatChangesItems) {
  Model m;
  m.add(ByItems{Trait::adds}, "first", {m.x}, {m.x});
  m.add(ByItems{Trait::adds}, "second", {m.x}, {m.x});
  m.plan();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false));
}

} // namespace ipumodel
