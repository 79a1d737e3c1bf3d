#include "test_program.hpp"

#include <gmock/gmock.h>

namespace ipumodel {

namespace {

using testing::HasSubstr;

// Items are copied to `b`, which the chain alone uses.
struct Model : TestProgram {
  poplar::Tensor a = add("a"), b = add("b"), c = add("c");
  void addCopy() { add(ByItems{Trait::copies}, "copy", {b}, {}); }
  void addReader() { add(ByItems{}, "reader", {c}, {b}); }
  std::size_t copies() {
    return elideCopies(keepPrivate(chain(), facts()), facts()).copies.size();
  }
};

} // namespace

TEST(CopyPass, UsesItemsWhereTheyAre) {
  Model m;
  m.addCopy();
  m.addReader();
  m.graph.createHostRead("c", m.c);
  m.plan();
  EXPECT_EQ(m.copies(), 1u);
  EXPECT_THAT(m.explained(), HasSubstr("fusion: copy: 'copy' (test.byItems)"));
}

TEST(CopyPass, DoesNothingIfItIsOff) {
  Model m;
  m.addCopy();
  m.addReader();
  m.plan("-copy");
  EXPECT_EQ(m.copies(), 0u);
}

TEST(CopyPass, CopiesWhatIsStored) {
  Model m;
  m.addCopy();
  m.addReader();
  m.graph.createHostRead("b", m.b);
  m.plan();
  EXPECT_EQ(m.copies(), 0u);
}

TEST(CopyPass, CopiesWhatIsChangedLater) {
  Model m;
  m.addCopy();
  m.add(ByItems{}, "in place", {m.b}, {m.b});
  m.plan();
  EXPECT_EQ(m.copies(), 0u);
  EXPECT_THAT(m.explained(), HasSubstr("fusion: no copy: 'copy'"));
}

TEST(CopyPass, CopiesOverWhatWasUsedBefore) {
  Model m;
  m.add(ByItems{}, "maker", {m.b}, {m.a});
  m.addCopy();
  m.addReader();
  m.plan();
  EXPECT_EQ(m.copies(), 0u);
}

TEST(CopyPass, CopiesWhatIsCopiedTwice) {
  Model m;
  m.addCopy();
  m.addCopy();
  m.plan();
  EXPECT_EQ(m.copies(), 0u);
}

TEST(CopyPass, CopiesWhatIsCopiedOn) {
  Model m;
  m.addCopy();
  m.add(ByItems{Trait::copies}, "copy on", {m.c}, {m.b});
  m.graph.createHostRead("c", m.c);
  m.plan();
  EXPECT_EQ(m.copies(), 0u);
}

} // namespace ipumodel
