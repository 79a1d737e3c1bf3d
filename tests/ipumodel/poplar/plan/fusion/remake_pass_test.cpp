#include "test_program.hpp"

#include <gmock/gmock.h>

namespace ipumodel {

namespace {

using testing::HasSubstr;

// "source" makes z; after the end of its chain "cheap" makes w of it, which
// "reader" reads, and "late" in a third chain.
struct Model : TestProgram {
  poplar::Tensor x = add("x"), z = add("z"), w = add("w"), y = add("y"),
                 late = add("late"), other = add("other");

  void endChain() { add(Other{}, "end", {other}, {other}); }
  void addMakers(Trait trait = Trait::cheap) {
    add(ByItems{}, "source", {z}, {x});
    add(ByItems{}, "beside", {add("beside")}, {x});
    endChain();
    add(ByItems{trait}, "cheap", {w}, {z});
  }
  void addReaders(Trait trait = Trait::remakes) {
    add(ByItems{Trait::remakes}, "reader", {y}, {w});
    endChain();
    add(ByItems{trait}, "late", {late}, {w});
  }

  std::size_t offsetOf(const poplar::Tensor &t) {
    return builder().contiguousOffset(t.getImpl()->view, 4).value();
  }
  std::vector<Group> remade() {
    return remakeWhatIsCheap(formChains(units(), facts(), builder()), facts());
  }
  const ChainLink &linkOf(const std::vector<Group> &groups, const char *name) {
    for (const Group &group : groups)
      if (group.chain)
        for (const ChainLink &link : group.chain->links)
          if (link.node->name == name)
            return link;
    throw std::logic_error(std::string("no link ") + name);
  }
  bool isLeftOut() {
    const std::vector<Group> groups = remade();
    return linkOf(groups, "cheap").isAbsorbed;
  }
};

} // namespace

TEST(RemakePass, LetsReadersMakeWhatIsCheap) {
  Model m;
  m.addMakers();
  m.addReaders();
  m.plan();
  const std::vector<Group> groups = m.remade();
  EXPECT_TRUE(m.linkOf(groups, "cheap").isAbsorbed);
  for (const char *name : {"reader", "late"}) {
    const ChainLink &reader = m.linkOf(groups, name);
    EXPECT_EQ(reader.items[1].offset, m.offsetOf(m.z)) << name;
    EXPECT_EQ(static_cast<const TestStage &>(*reader.stage).remade, 1u);
  }
  EXPECT_THAT(m.explained(), HasSubstr("fusion: remake: 'late' (test.byItems) "
                                       "makes again what 'cheap' "
                                       "(test.byItems) makes\n"));
}

TEST(RemakePass, DoesNothingIfItIsOff) {
  Model m;
  m.addMakers();
  m.addReaders();
  m.plan("-remake");
  EXPECT_FALSE(m.isLeftOut());
}

TEST(RemakePass, AsksTheMaker) {
  Model m;
  m.addMakers(Trait::none);
  m.addReaders();
  m.plan();
  EXPECT_FALSE(m.isLeftOut());
}

TEST(RemakePass, AsksAllReadersFirst) {
  Model m;
  m.addMakers();
  m.addReaders(Trait::none);
  m.plan();
  const std::vector<Group> groups = m.remade();
  EXPECT_FALSE(m.linkOf(groups, "cheap").isAbsorbed);
  EXPECT_EQ(m.linkOf(groups, "reader").items[1].offset, m.offsetOf(m.w));
}

TEST(RemakePass, LeavesWhatOthersRead) {
  for (const bool isHost : {true, false}) {
    Model m;
    m.addMakers();
    m.addReaders();
    if (isHost)
      m.graph.createHostRead("w", m.w);
    else
      m.add(Other{}, "look", {m.other}, {m.w});
    m.plan();
    EXPECT_FALSE(m.isLeftOut()) << isHost;
  }
}

TEST(RemakePass, LeavesWhatIsMadeOfWhatChanges) {
  for (const bool isHost : {true, false}) {
    Model m;
    m.addMakers();
    m.endChain();
    if (isHost)
      m.graph.createHostWrite("z", m.z);
    else
      m.add(ByItems{}, "change", {m.z}, {m.x});
    m.addReaders();
    m.plan();
    EXPECT_FALSE(m.isLeftOut()) << isHost;
  }
}

TEST(RemakePass, LeavesWhatNeedsAVectorThatChanges) {
  for (const bool changes : {true, false}) {
    Model m;
    const poplar::Tensor v = m.add("v", {3});
    m.add(ByItems{}, "source", {m.z}, {m.x});
    m.add(Other{}, "vector", {v}, {});
    m.add(ByItems{Trait::cheap}, "cheap", {m.w}, {m.z, v});
    m.addReaders();
    if (changes)
      m.add(Other{}, "update", {v}, {v});
    m.plan();
    EXPECT_EQ(m.isLeftOut(), !changes);
  }
}

TEST(RemakePass, LeavesWhatIsChangedOrReadBefore) {
  for (const bool isChanged : {true, false}) {
    Model m;
    if (!isChanged)
      m.add(ByItems{Trait::remakes}, "last", {m.add("out")}, {m.w});
    m.addMakers();
    if (isChanged)
      m.add(ByItems{}, "change", {m.w}, {m.w});
    m.addReaders();
    m.plan();
    EXPECT_FALSE(m.isLeftOut()) << isChanged;
  }
}

// Also if no other operation of the chain that would make w reads it.
TEST(RemakePass, KeepsWhatIsReadInstead) {
  for (const bool isEarly : {true, false}) {
    Model m;
    m.addMakers();
    m.add(ByItems{}, "besides", {m.other}, {m.x});
    if (isEarly)
      m.add(ByItems{Trait::remakes}, "reader", {m.y}, {m.w});
    m.endChain();
    m.add(ByItems{Trait::remakes}, "late", {m.late}, {m.w});
    m.plan();
    std::vector<Group> groups = formChains(m.units(), m.facts(), m.builder());
    for (Group &group : groups)
      if (group.chain)
        group.chain.emplace(keepPrivate(std::move(*group.chain), m.facts()));
    groups =
        keepUnread(remakeWhatIsCheap(std::move(groups), m.facts()), m.facts());
    EXPECT_TRUE(m.linkOf(groups, "cheap").isAbsorbed) << isEarly;
    for (const Group &group : groups)
      if (group.chain) {
        EXPECT_EQ(group.chain->privates.count(m.offsetOf(m.z)), 0u) << isEarly;
      }
  }
}

} // namespace ipumodel
