#include "test_program.hpp"

#include <gmock/gmock.h>

namespace ipumodel {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<bool> absorbed(TestProgram &m) {
  std::vector<bool> is;
  for (const ChainLink &link : absorbEpilogues(m.chain(), m.facts()).links)
    is.push_back(link.isAbsorbed);
  return is;
}

struct Model : TestProgram {
  poplar::Tensor a = add("a"), b = add("b"), c = add("c");
  void addMaker(Trait trait = Trait::absorbs) {
    add(ByItems{trait}, "maker", {b}, {a});
  }
  void addInPlace() { add(ByItems{}, "in place", {b}, {b}); }
};

} // namespace

TEST(EpiloguePass, LetsAStageDoWhatFollowsItInPlace) {
  Model m;
  m.addMaker();
  m.addInPlace();
  m.addInPlace();
  m.plan();
  EXPECT_THAT(absorbed(m), ElementsAre(false, true, true));
  EXPECT_THAT(m.explained(),
              HasSubstr("fusion: epilogue: 'maker' (test.byItems) also does "
                        "'in place' (test.byItems)\n"));
}

TEST(EpiloguePass, DoesNothingIfItIsOff) {
  Model m;
  m.addMaker();
  m.addInPlace();
  m.plan("-epilogue");
  EXPECT_THAT(absorbed(m), ElementsAre(false, false));
}

TEST(EpiloguePass, AsksTheStage) {
  Model m;
  m.addMaker(Trait::none);
  m.addInPlace();
  m.plan();
  EXPECT_THAT(absorbed(m), ElementsAre(false, false));
  EXPECT_THAT(m.explained(), HasSubstr("fusion: no epilogue: "));
}

TEST(EpiloguePass, LeavesOutWhatIsNotInPlace) {
  Model m;
  m.addMaker();
  m.add(ByItems{Trait::absorbs}, "elsewhere", {m.c}, {m.b});
  m.add(ByItems{}, "of two", {m.c}, {m.c, m.b});
  m.plan();
  EXPECT_THAT(absorbed(m), ElementsAre(false, false, false));
}

TEST(EpiloguePass, LeavesOutWhatAnotherStageReadsBefore) {
  Model m;
  m.addMaker();
  m.add(ByItems{Trait::absorbs}, "reader", {m.c}, {m.b});
  m.addInPlace();
  m.plan();
  EXPECT_THAT(absorbed(m), ElementsAre(false, false, false));
}

TEST(EpiloguePass, LeavesOutASumOfWhatIsMade) {
  Model m;
  m.addMaker();
  m.add(ByItems{Trait::sums}, "sum", {m.add("sum", {4})}, {m.b});
  m.plan();
  EXPECT_THAT(absorbed(m), ElementsAre(false, false));
}

TEST(EpiloguePass, AsksOnlyTheStageThatMakesTheItems) {
  Model m;
  m.add(ByItems{Trait::sums}, "sum", {m.add("sum", {4})}, {m.b});
  m.addInPlace();
  m.plan();
  EXPECT_THAT(absorbed(m), ElementsAre(false, false));
}

} // namespace ipumodel
