// Vertices join a chain if each reads one item, in order. None of them runs.
#include "poplar/plan/fusion/branches_pass.hpp"
#include "test_program.hpp"

#include <gmock/gmock.h>

namespace ipumodel {

namespace {

using poplar::program::Execute;
using poplar::program::Sequence;
using testing::ElementsAre;

constexpr const char *kCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class Look : public Vertex {
public:
  Input<Vector<float>> in;
  Output<float> out;
  bool compute() { *out = in[0]; return true; }
};
class Peek : public Vertex {
public:
  Input<Vector<float>> in;
  Output<float> out;
  bool compute() { *out = in[1]; return true; }
};
class LookAligned : public Vertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 16>> in;
  Output<float> out;
  bool compute() { *out = in[0]; return true; }
};
class LookAtTwo : public Vertex {
public:
  Input<Vector<float>> in;
  Input<Vector<float, VectorLayout::SPAN, 16>> other;
  Output<float> out;
  bool compute() { *out = in[0] + other[0]; return true; }
};
class LookAtMany : public Vertex {
public:
  Vector<Input<Vector<float>>> in;
  Output<float> out;
  bool compute() { *out = in[0][0]; return true; }
};
class Decide : public Vertex {
public:
  Output<Vector<int>> out;
  bool compute() { out[0] = 1; return true; }
};
)";

// A stage makes b from a, then vertices look at it, each at an item unless the
// test says more.
struct Model : TestProgram {
  poplar::Tensor a = add("a"), b = add("b"), seen = add("seen", {8, 4});
  poplar::ComputeSet looks = graph.addComputeSet("looks");

  Model() {
    std::stringstream codelets(kCodelets);
    graph.addCodelets(codelets);
  }
  void addMaker(const poplar::Tensor &made) {
    add(ByItems{Trait::absorbs}, "maker", {made}, {a});
  }
  poplar::VertexRef addVertex(poplar::ComputeSet set, const char *type) {
    const poplar::VertexRef vertex = graph.addVertex(set, type);
    graph.setTileMapping(vertex, 0);
    return vertex;
  }
  poplar::VertexRef addLook(const poplar::Tensor &in, const poplar::Tensor &out,
                            const char *type = "Look") {
    const poplar::VertexRef vertex = addVertex(looks, type);
    graph.connect(vertex["in"], in);
    graph.connect(vertex["out"], out);
    return vertex;
  }
  // A vertex that looks at an item, and at something else.
  void addLookAtTwo(const poplar::Tensor &other) {
    graph.connect(addLook(b[0], seen[0][0], "LookAtTwo")["other"], other);
  }
  void addLooks(const poplar::Tensor &batch) {
    for (std::size_t i = 0; i < 8; ++i)
      addLook(batch[i], seen[i][0]);
  }
  void addExecute() { prog.add(Execute(looks)); }
  void addInPlace() { add(ByItems{}, "in place", {b}, {b}); }

  // How many operations each group has; 0 if it is not a chain.
  std::vector<std::size_t> links(const char *fusion = "1") {
    plan(fusion);
    std::vector<std::size_t> links;
    for (const Group &group : formChains(units(), facts(), builder()))
      links.push_back(group.chain ? group.chain->links.size() : 0);
    return links;
  }
  Chain withEpilogues() {
    plan();
    return absorbAfterVertices(absorbEpilogues(chain(), facts()), facts());
  }
  std::vector<bool> absorbed() {
    std::vector<bool> is;
    for (const ChainLink &link : withEpilogues().links)
      is.push_back(link.isAbsorbed);
    return is;
  }
};

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

namespace {

// A stage makes a gradient, b, vertices look at it, and a gate lets it through
// to "result" where a is above zero.
struct GatedModel : Model {
  poplar::Tensor result = add("result");

  explicit GatedModel(Trait maker = Trait::absorbs) {
    add(ByItems{maker}, "maker", {b}, {a});
  }
  void addLooks() {
    Model::addLooks(b);
    addExecute();
  }
  void addGate() { add(ByItems{Trait::gates}, "gate", {result}, {b, a}); }
  Chain gated(const char *fusion = "1") {
    plan(fusion);
    return absorbGates(keepPrivate(chain(), facts()), facts());
  }
  std::size_t offsetOf(const poplar::Tensor &t) {
    return builder().contiguousOffset(t.getImpl()->view, 4).value();
  }
};

const TestStage &makerOf(const Chain &chain) {
  return static_cast<const TestStage &>(*chain.links[0].stage);
}

} // namespace

TEST(GatePass, LetsVerticesSeeTheGradientFirst) {
  GatedModel m;
  m.addLooks();
  m.addGate();
  m.add(ByItems{}, "user", {m.add("used")}, {m.result});
  const Chain chain = m.gated();
  EXPECT_TRUE(chain.links[2].isAbsorbed);
  EXPECT_TRUE(chain.links[2].isAfterVertices);
  EXPECT_EQ(makerOf(chain).gatedLateBy, 1u);
  EXPECT_EQ(makerOf(chain).gatedBy, std::nullopt);
  for (std::size_t link : {0, 1})
    EXPECT_EQ(chain.links[link].items[0].offset, m.offsetOf(m.result));
  EXPECT_EQ(chain.privates.count(m.offsetOf(m.b)), 0u);
  EXPECT_EQ(chain.privates.count(m.offsetOf(m.result)), 1u);
  const Chain after = absorbAfterVertices(chain, m.facts());
  EXPECT_TRUE(after.links[2].isAbsorbed);
  EXPECT_THAT(m.explained(),
              testing::HasSubstr("fusion: gate: 'maker' (test.byItems) also "
                                 "does 'gate' (test.byItems) after vertices"));
}

TEST(GatePass, LetsVerticesSeeAGradientThatIsGatedInPlace) {
  GatedModel m;
  m.addLooks();
  m.add(ByItems{Trait::gates}, "gate", {m.b}, {m.b, m.a});
  m.graph.createHostRead("b", m.b);
  const Chain chain = m.gated();
  EXPECT_TRUE(chain.links[2].isAbsorbed);
  EXPECT_EQ(makerOf(chain).gatedLateBy, 1u);
  EXPECT_EQ(chain.links[1].items[0].offset, m.offsetOf(m.b));
}

TEST(GatePass, IsOffForGradientsThatVerticesSee) {
  GatedModel m;
  m.addLooks();
  m.addGate();
  EXPECT_FALSE(m.gated("-gate").links[2].isAbsorbed);
}

TEST(GatePass, AsksTheStageWhetherItCanWaitForVertices) {
  GatedModel m(Trait::none);
  m.addLooks();
  m.addGate();
  const Chain chain = m.gated();
  EXPECT_FALSE(chain.links[2].isAbsorbed);
  EXPECT_FALSE(chain.links[2].isAfterVertices);
}

// Such vertices do not run while the gradient is made.
TEST(GatePass, LeavesOutVerticesThatRunAfterAnotherStage) {
  GatedModel m;
  m.add(ByItems{}, "other", {m.add("other")}, {m.a});
  m.addLooks();
  m.addGate();
  EXPECT_FALSE(m.gated().links[3].isAbsorbed);
}

TEST(GatePass, LeavesOutVerticesThatReadAnotherItem) {
  GatedModel m;
  for (std::size_t i = 0; i < 8; ++i)
    m.graph.connect(m.addLook(m.b[i], m.seen[i][0], "LookAtTwo")["other"],
                    m.a[i]);
  m.addExecute();
  m.addGate();
  const Chain chain = m.gated();
  ASSERT_EQ(chain.links[1].items.size(), 2u);
  EXPECT_FALSE(chain.links[2].isAbsorbed);
}

TEST(GatePass, LeavesOutVerticesThatReadTheLastResult) {
  GatedModel m;
  m.Model::addLooks(m.result);
  m.addExecute();
  m.addGate();
  m.plan();
  for (const Group &group : formChains(m.units(), m.facts(), m.builder()))
    if (group.chain) {
      const Chain chain = absorbGates(
          keepPrivate(std::move(*group.chain), m.facts()), m.facts());
      EXPECT_FALSE(chain.links.back().isAbsorbed);
    }
}

TEST(GatePass, LeavesOutMoreVerticesThanRunWithAStage) {
  for (const std::size_t many : {kMaxReaders, kMaxReaders + 1}) {
    GatedModel m;
    for (std::size_t i = 0; i < many; ++i) {
      m.looks = m.graph.addComputeSet("looks");
      m.addLook(m.b[0], m.add("out", {}));
      m.addExecute();
    }
    m.addGate();
    EXPECT_EQ(m.gated().links.back().isAbsorbed, many == kMaxReaders);
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
