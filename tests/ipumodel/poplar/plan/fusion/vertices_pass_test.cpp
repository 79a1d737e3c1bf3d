// Vertices join a chain if each reads one item, in order. None of them runs.
#include "poplar/plan/fusion/branches_pass.hpp"
#include "vertex_program.hpp"

#include <gmock/gmock.h>

namespace ipumodel {

namespace {

using poplar::program::Execute;
using poplar::program::Sequence;
using testing::ElementsAre;

using Model = VertexProgram;

} // namespace

TEST(VerticesPass, LetsVerticesThatReadAnItemEachJoinAChain) {
  Model m;
  m.addMaker(m.b);
  m.addLooks(m.b);
  m.addExecute();
  EXPECT_THAT(m.links(), ElementsAre(2));
}

TEST(VerticesPass, DoesNothingIfItIsOff) {
  Model m;
  m.addMaker(m.b);
  m.addLooks(m.b);
  m.addExecute();
  EXPECT_THAT(m.links("-vertices"), ElementsAre(1, 0));
}

TEST(VerticesPass, LeavesOutWhatIsProfiled) {
  Model m;
  m.addMaker(m.b);
  m.addLooks(m.b);
  m.addExecute();
  m.profile("looks");
  EXPECT_THAT(m.links(), ElementsAre(1, 0));
}

TEST(VerticesPass, LeavesOutItemsInAnotherOrder) {
  Model m;
  m.addMaker(m.b);
  for (std::size_t i = 8; i-- > 0;)
    m.addLook(m.b[i], m.seen[i][0]);
  m.addExecute();
  EXPECT_THAT(m.links(), ElementsAre(1, 0));
}

TEST(VerticesPass, LeavesOutVerticesOfTwoTypes) {
  Model m;
  m.addMaker(m.b);
  m.addLook(m.b[0], m.seen[0][0]);
  m.addLook(m.b[1], m.seen[1][0], "Peek");
  m.addExecute();
  EXPECT_THAT(m.links(), ElementsAre(1, 0));
}

TEST(VerticesPass, LeavesOutAVertexThatReadsPartsOfTwoItems) {
  Model m;
  m.addMaker(m.b);
  m.addLook(m.b.flatten().slice(2, 6), m.seen[0][0]);
  m.addExecute();
  EXPECT_THAT(m.links(), ElementsAre(1, 0));
}

TEST(VerticesPass, LeavesOutAVertexThatReadsTwoItems) {
  Model m;
  m.addMaker(m.b);
  m.addLookAtTwo(m.b[1]);
  m.addExecute();
  EXPECT_THAT(m.links(), ElementsAre(1, 0));
}

TEST(VerticesPass, LeavesOutElementsThatAreNotInOnePlace) {
  Model m;
  m.addMaker(m.b);
  m.addLookAtTwo(poplar::concat(m.seen[1], m.seen[3]));
  m.addExecute();
  EXPECT_THAT(m.links(), ElementsAre(1, 0));
}

// An item may be kept elsewhere, so both its place and the one in it count.
TEST(VerticesPass, LeavesOutElementsThatAreNotAligned) {
  const auto links = [](std::size_t begin) {
    Model m;
    const poplar::Tensor odd = m.add("odd", {8, 3});
    m.addMaker(odd);
    m.addLook(odd.flatten().slice(begin, begin + 2), m.seen[0][0],
              "LookAligned");
    m.addExecute();
    return m.links();
  };
  EXPECT_THAT(links(12), ElementsAre(2)); // item 4, at byte 48
  EXPECT_THAT(links(3), ElementsAre(1, 0)) << "an item at byte 12";
  EXPECT_THAT(links(16), ElementsAre(1, 0)) << "byte 4 of an item, at byte 64";
}

TEST(VerticesPass, LeavesOutOtherOperandsThatAreNotAligned) {
  for (const std::size_t begin : {0, 1}) {
    Model m;
    m.addMaker(m.b);
    const poplar::Tensor other = m.add("other");
    m.addLookAtTwo(other.flatten().slice(begin, begin + 2));
    m.addExecute();
    EXPECT_EQ(m.links().size(), begin == 0 ? 1u : 2u);
  }
}

TEST(VerticesPass, LeavesOutVerticesThatReadWhatOthersWrite) {
  Model m;
  m.addMaker(m.b);
  m.addLookAtTwo(m.seen[4]);
  m.addExecute();
  EXPECT_THAT(m.links(), ElementsAre(1, 0));
}

TEST(VerticesPass, LeavesOutVerticesThatReadASumOfTheChain) {
  Model m;
  const poplar::Tensor sum = m.add("sum", {4});
  m.addMaker(m.b);
  m.add(ByItems{Trait::sums}, "sum", {sum}, {m.b});
  m.addLookAtTwo(sum);
  m.addExecute();
  EXPECT_THAT(m.links(), ElementsAre(2, 0));
}

TEST(VerticesPass, LeavesOutVerticesThatWriteToWhatTheChainReads) {
  Model m;
  m.addMaker(m.b);
  m.addLook(m.b[0], m.a[7][0]);
  m.addExecute();
  EXPECT_THAT(m.links(), ElementsAre(1, 0));
}

TEST(VerticesPass, LeavesOutAVertexThatReadsManyOperands) {
  for (const std::size_t many : {kMaxItemOperands, kMaxItemOperands + 1}) {
    Model m;
    std::vector<poplar::Tensor> items;
    for (std::size_t i = 0; i < many; ++i) {
      const poplar::Tensor made = m.add("made");
      m.addMaker(made);
      items.push_back(made[0]);
    }
    const poplar::VertexRef vertex = m.addVertex(m.looks, "LookAtMany");
    m.graph.connect(vertex["in"], items);
    m.graph.connect(vertex["out"], m.seen[0][0]);
    m.addExecute();
    EXPECT_EQ(m.links().size(), many == kMaxItemOperands ? 1u : 2u);
  }
}

TEST(VerticesPass, LeavesOutComputeSetsThatDoMore) {
  {
    Model m;
    m.addMaker(m.b);
    m.addLooks(m.b);
    m.prog.add(Execute(m.looks, m.add("status", {}, poplar::BOOL)));
    EXPECT_THAT(m.links(), ElementsAre(1, 0)) << "an exit status";
  }
  Model m;
  m.addMaker(m.b);
  m.addLooks(m.b);
  addNative(m.graph, m.looks, Other{}, {m.add("x")}, {m.add("y")}, {"other"});
  m.addExecute();
  EXPECT_THAT(m.links(), ElementsAre(1, 0)) << "an operation";
}

TEST(VerticesPass, LeavesOutAComputeSetWithoutVertices) {
  Model m;
  m.addMaker(m.b);
  m.addExecute();
  EXPECT_THAT(m.links(), ElementsAre(1, 0));
}

// A stage that does more changes only what no vertex of the item reads later.
TEST(VerticesPass, KeepsWhatAnyLaterVertexOfTheItemReads) {
  Model m;
  m.addMaker(m.b);
  m.addLook(m.b[0].slice(2, 4), m.seen[0][0]);
  m.addLook(m.b[0].slice(1, 2), m.seen[0][1]);
  m.addLook(m.b[1].slice(2, 4), m.seen[1][0]);
  m.addLook(m.b[2].slice(0, 1), m.seen[2][0]);
  m.addExecute();
  m.plan();
  const Chain chain = m.chain();
  const ItemVertices &looks = *chain.links.at(1).vertices;
  // Of item 0 or 1, when its first 12 bytes are made: not all that is read.
  const auto unread = [&](std::size_t index) {
    std::size_t next = looks.firstOf(index);
    return looks.runUpTo(12, {index, 0, true, nullptr, nullptr, nullptr}, next);
  };
  EXPECT_EQ(unread(0), 4u);
  EXPECT_EQ(unread(1), 8u) << "another item's vertices do not count";
}

TEST(EpiloguePass, LetsAStageDoWhatFollowsVertices) {
  Model m;
  m.addMaker(m.b);
  m.addLooks(m.b);
  m.addExecute();
  m.addInPlace();
  m.addInPlace(); // nothing is done after what is done after vertices
  const Chain chain = m.withEpilogues();
  ASSERT_EQ(chain.links.size(), 4u);
  EXPECT_TRUE(chain.links[2].isAbsorbed);
  EXPECT_TRUE(chain.links[2].isAfterVertices);
  EXPECT_FALSE(chain.links[3].isAbsorbed);
}

TEST(EpiloguePass, LeavesOutWhatFollowsVerticesOfTwoOperands) {
  Model m;
  m.addMaker(m.b);
  m.addLookAtTwo(m.a[0]);
  m.addExecute();
  m.addInPlace();
  EXPECT_THAT(m.absorbed(), ElementsAre(false, false, false));
}

TEST(EpiloguePass, LeavesOutWhatFollowsManyComputeSets) {
  for (const std::size_t many : {kMaxReaders, kMaxReaders + 1}) {
    Model m;
    m.addMaker(m.b);
    for (std::size_t i = 0; i < many; ++i) {
      m.looks = m.graph.addComputeSet("looks");
      m.addLook(m.b[0], m.add("out", {}));
      m.addExecute();
    }
    m.addInPlace();
    EXPECT_EQ(m.absorbed().back(), many == kMaxReaders);
  }
}

TEST(BranchesPass, EndsALineBeforeABranchThatVerticesDecide) {
  for (const bool isInOnePlace : {true, false}) {
    Model m;
    const poplar::Tensor taken = m.add("taken", {}, poplar::INT),
                         more = m.add("more", {2}, poplar::INT);
    m.add(Other{}, "first", {m.b}, {m.a});
    m.prog.add(poplar::program::If(m.add("early", {}, poplar::INT), Sequence(),
                                   Sequence()));
    m.add(Other{}, "second", {m.b}, {m.a});
    const poplar::ComputeSet set = m.graph.addComputeSet("decide");
    m.graph.connect(m.addVertex(set, "Decide")["out"],
                    isInOnePlace ? taken.reshape({1})
                                 : concat(more, taken.reshape({1})));
    m.prog.add(Execute(set));
    m.prog.add(poplar::program::If(taken, Sequence(), Sequence()));
    m.add(Other{}, "last", {m.b}, {m.a});
    m.plan();
    const std::vector<ProgramPtr> programs = m.line();
    const std::vector<BranchLine> lines =
        findBranchLines(programs, Reach::operations, m.facts());
    ASSERT_EQ(lines.size(), 1u) << isInOnePlace;
    EXPECT_EQ((*(lines[0].end - 1))->name, "second") << isInOnePlace;
  }
}

TEST(ItemIndex, FindsTheFirstItemsThatHaveTheElements) {
  Model m;
  const poplar::Tensor wide = m.add("wide", {8, 8});
  const auto part = [&](std::size_t begin, std::size_t size) {
    return wide.flatten().slice(begin, begin + 8 * size).reshape({8, size});
  };
  m.add(ByItems{}, "maker", {m.b}, {part(8, 4)});
  m.add(ByItems{}, "maker", {m.a}, {part(0, 8)});
  m.add(ByItems{}, "maker", {m.seen}, {part(4, 4)});
  m.plan();
  ItemIndex index;
  const Chain chain = m.chain();
  for (const ChainLink &link : chain.links)
    index.add(link.items.at(1));
  const VariableId id = wide.getImpl()->view.blocks()[0].variable;
  const std::size_t offset = m.builder().memory().offsetOf(id);
  const auto found = [&](std::size_t begin, std::size_t end) {
    return index.find(id, offset + 4 * begin, offset + 4 * end);
  };
  EXPECT_EQ(found(10, 12), 0u) << "all have these";
  EXPECT_EQ(found(60, 64), 1u) << "no others are as long";
  EXPECT_EQ(found(60, 65), std::nullopt);
  EXPECT_EQ(index.find(id + 1, offset, offset + 4), std::nullopt);
}

} // namespace ipumodel
