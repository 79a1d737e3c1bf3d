#include "test_program.hpp"

#include <gmock/gmock.h>

namespace ipumodel {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// a -> b -> c
struct Model : TestProgram {
  poplar::Tensor a = add("a"), b = add("b"), c = add("c");
  Model() {
    add(ByItems{}, "first", {b}, {a});
    add(ByItems{}, "second", {c}, {b});
    graph.createHostRead("c", c);
  }
  // The names of private tensors.
  std::vector<std::string> privates() {
    const Chain chain = keepPrivate(this->chain(), facts());
    std::vector<std::string> names;
    for (const poplar::Tensor &t : {a, b, c})
      if (chain.privates.count(
              builder().contiguousOffset(t.getImpl()->view, 4).value()))
        names.push_back(nameOf(facts().graph, *t.getImpl()));
    return names;
  }
};

} // namespace

TEST(PrivatePass, DoesNotStoreWhatOnlyTheChainUses) {
  Model m;
  m.plan();
  EXPECT_THAT(m.privates(), ElementsAre("b"));
  EXPECT_THAT(m.explained(), HasSubstr("fusion: private: 'b' of 'first' "
                                       "(test.byItems) is not stored\n"));
}

TEST(PrivatePass, DoesNothingIfItIsOff) {
  Model m;
  m.plan("-private");
  EXPECT_THAT(m.privates(), IsEmpty());
}

TEST(PrivatePass, StoresWhatTheHostReads) {
  Model m;
  m.graph.createHostRead("b", m.b);
  m.plan();
  EXPECT_THAT(m.privates(), IsEmpty());
  EXPECT_THAT(m.explained(), HasSubstr("fusion: no private: 'b' of 'first' "
                                       "(test.byItems): not only the chain "
                                       "uses it\n"));
}

TEST(PrivatePass, StoresWhatIsCopiedLater) {
  Model m;
  m.prog.add(poplar::program::Copy(m.b, m.a));
  m.plan();
  std::vector<Group> groups = formChains(m.units(), m.facts(), m.builder());
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_THAT(keepPrivate(std::move(*groups[0].chain), m.facts()).privates,
              IsEmpty());
}

TEST(PrivatePass, StoresWhatAnotherProgramUses) {
  Model m;
  poplar::program::Sequence other;
  addNative(other, Other{}, {m.a}, {m.b}, {"other"});
  m.plan("1", {other});
  EXPECT_THAT(m.privates(), IsEmpty());
}

TEST(PrivatePass, StoresWhatTheChainReadsFirst) {
  Model m;
  m.add(ByItems{}, "third", {m.a}, {m.c});
  m.plan();
  EXPECT_THAT(m.privates(), ElementsAre("b")) << "a is read before it is made";
}

TEST(PrivatePass, DoesNotStoreWhatASkippedBranchReads) {
  for (const bool isSkipped : {true, false})
    for (const bool runsElsewhere : {false, true}) {
      Model m;
      const poplar::Tensor taken = m.add("taken", {}, poplar::INT);
      poplar::program::Sequence part;
      addNative(part, Other{}, {m.a}, {m.b}, {"look"});
      m.prog.add(poplar::program::If(taken, part, poplar::program::Sequence()));
      if (runsElsewhere)
        m.prog.add(part);
      m.plan();
      Line line = m.units();
      line[2].isSkipped = isSkipped;
      std::vector<Group> groups =
          formChains(std::move(line), m.facts(), m.builder());
      const Chain chain = keepPrivate(std::move(*groups[0].chain), m.facts());
      EXPECT_EQ(chain.privates.size(), isSkipped && !runsElsewhere ? 1u : 0u);
    }
}

namespace {

// One chain makes b and c from a, another makes e from d, c and b, which its
// stage need not read.
struct TwoChains : TestProgram {
  poplar::Tensor a = add("a"), b = add("b"), c = add("c"), d = add("d"),
                 e = add("e");

  enum class Order { makerFirst, makerLast };
  explicit TwoChains(Trait user, Order order = Order::makerFirst,
                     bool readsAll = false) {
    const auto addUser = [&](Trait trait) {
      const poplar::Tensor all = readsAll ? b.reshape({16, 2}) : d;
      add(Other{}, "between", {d}, {a});
      add(ByItems{trait}, "user", {e}, {d, all, c, b});
      add(Other{}, "end", {d}, {a});
    };
    if (order == Order::makerLast)
      addUser(user);
    add(ByItems{}, "first", {b}, {a});
    add(ByItems{}, "second", {c}, {b});
    if (order == Order::makerFirst)
      addUser(user);
    graph.createHostRead("c", c);
    graph.createHostRead("e", e);
  }

  bool isPrivate(const poplar::Tensor &t) {
    std::vector<Group> groups = formChains(units(), facts(), builder());
    for (Group &group : groups)
      if (group.chain)
        group.chain.emplace(keepPrivate(std::move(*group.chain), facts()));
    for (const Group &group : keepUnread(std::move(groups), facts()))
      if (group.chain &&
          group.chain->privates.count(
              builder().contiguousOffset(t.getImpl()->view, 4).value()))
        return true;
    return false;
  }
};

} // namespace

TEST(PrivatePass, DoesNotStoreWhatALaterChainDoesNotRead) {
  TwoChains m(Trait::knows);
  m.plan();
  EXPECT_TRUE(m.isPrivate(m.b));
  EXPECT_THAT(m.explained(),
              HasSubstr("fusion: private: 'b' of 'first' (test.byItems) is not "
                        "stored: nothing reads it later\n"));
}

TEST(PrivatePass, StoresWhatALaterChainReads) {
  TwoChains m(Trait::none);
  m.plan();
  EXPECT_FALSE(m.isPrivate(m.b));
}

TEST(PrivatePass, StoresWhatTheHostReadsThoughALaterChainDoesNot) {
  TwoChains m(Trait::knows);
  m.graph.createHostRead("b", m.b);
  m.plan();
  EXPECT_FALSE(m.isPrivate(m.b));
}

// The first time nothing is known of the tensor.
TEST(PrivatePass, StoresWhatAnEarlierChainNames) {
  TwoChains m(Trait::knows, TwoChains::Order::makerLast);
  m.plan();
  EXPECT_FALSE(m.isPrivate(m.b));
}

TEST(PrivatePass, StoresWhatALaterChainNamesIfItIsOff) {
  TwoChains m(Trait::knows);
  m.plan("-private");
  EXPECT_FALSE(m.isPrivate(m.b));
}

TEST(PrivatePass, StoresWhatALaterChainReadsAllOf) {
  TwoChains m(Trait::knows, TwoChains::Order::makerFirst, true);
  m.plan();
  EXPECT_FALSE(m.isPrivate(m.b));
}

TEST(PrivatePass, DoesNotStoreWhatIsOnlyNamedBefore) {
  TestProgram m;
  const poplar::Tensor a = m.add("a"), b = m.add("b"), c = m.add("c");
  m.add(ByItems{Trait::knows}, "namer", {c}, {b});
  m.add(ByItems{}, "maker", {b}, {a});
  m.graph.createHostRead("c", c);
  m.plan();
  EXPECT_EQ(keepPrivate(m.chain(), m.facts()).privates.size(), 1u);
}

// It sees what the last run made.
TEST(PrivatePass, StoresWhatASkippedBranchReadsBeforeItIsMade) {
  TestProgram m;
  const poplar::Tensor a = m.add("a"), b = m.add("b"), c = m.add("c"),
                       taken = m.add("taken", {}, poplar::INT);
  m.add(ByItems{}, "first", {c}, {a});
  poplar::program::Sequence part;
  addNative(part, Other{}, {a}, {b}, {"look"});
  m.prog.add(poplar::program::If(taken, part, poplar::program::Sequence()));
  m.add(ByItems{}, "maker", {b}, {c});
  m.plan();
  Line line = m.units();
  line[1].isSkipped = true;
  std::vector<Group> groups =
      formChains(std::move(line), m.facts(), m.builder());
  ASSERT_EQ(groups.size(), 1u);
  const Chain chain = keepPrivate(std::move(*groups[0].chain), m.facts());
  const std::size_t offsetOfC =
      m.builder().contiguousOffset(c.getImpl()->view, 4).value();
  EXPECT_EQ(chain.privates, std::set<std::size_t>{offsetOfC});
}

TEST(PrivatePass, StoresWhatTheChainChangesInPlaceFirst) {
  TestProgram m;
  const poplar::Tensor a = m.add("a"), b = m.add("b");
  m.add(ByItems{}, "change", {b}, {b});
  m.add(ByItems{}, "second", {a}, {b});
  m.graph.createHostRead("a", a);
  m.plan();
  EXPECT_THAT(keepPrivate(m.chain(), m.facts()).privates, IsEmpty());
}

// Another stage of that chain does its work, and knows what it reads.
TEST(PrivatePass, DoesNotStoreWhatIsReadByWhatALaterChainDoesNotRun) {
  for (const bool isAbsorbed : {true, false}) {
    TwoChains m(Trait::none);
    m.plan();
    std::vector<Group> groups = formChains(m.units(), m.facts(), m.builder());
    for (Group &group : groups)
      if (group.chain && group.chain->links[0].node->name == "user")
        group.chain->links[0].isAbsorbed = isAbsorbed;
    const std::size_t offsetOfB =
        m.builder().contiguousOffset(m.b.getImpl()->view, 4).value();
    groups = keepUnread(std::move(groups), m.facts());
    EXPECT_EQ(groups[0].chain->privates.count(offsetOfB), isAbsorbed ? 1u : 0u);
  }
}

// As that of a sum, if another stage adds it.
TEST(PrivatePass, StoresWhatAnotherStageReadsInstead) {
  TestProgram m;
  const poplar::Tensor a = m.add("a"), b = m.add("b"), made = m.add("made"),
                       sum = m.add("sum");
  m.add(ByItems{}, "first", {a}, {m.add("x")});
  m.add(ByItems{}, "second", {b}, {a});
  m.add(Other{}, "other", {}, {b});
  m.add(ByItems{Trait::absorbs}, "maker", {made}, {b});
  m.add(ByItems{Trait::adds}, "sum", {sum}, {made, a});
  m.graph.createHostRead("sum", sum);
  m.plan();
  std::vector<Group> groups = formChains(m.units(), m.facts(), m.builder());
  ASSERT_EQ(groups.size(), 3u);
  for (Group &group : groups)
    if (group.chain)
      group.chain.emplace(absorbSums(
          keepPrivate(std::move(*group.chain), m.facts()), m.facts()));
  ASSERT_TRUE(groups[2].chain->links[1].isAbsorbed);
  groups = keepUnread(std::move(groups), m.facts());
  EXPECT_THAT(groups[0].chain->privates, IsEmpty());
}

} // namespace ipumodel
