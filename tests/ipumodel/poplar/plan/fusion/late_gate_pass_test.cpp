// A gate may come after vertices that look at the gradient first.
#include "vertex_program.hpp"

#include <gmock/gmock.h>

namespace ipumodel {

namespace {

using testing::HasSubstr;

// A stage makes a gradient, b, vertices look at it, and a gate lets it through
// to "result" where a is above zero.
struct GatedModel : VertexProgram {
  poplar::Tensor result = add("result");

  explicit GatedModel(Trait maker = Trait::absorbs) {
    add(ByItems{maker}, "maker", {b}, {a});
  }
  void addLooks() {
    VertexProgram::addLooks(b);
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
              HasSubstr("fusion: gate: 'maker' (test.byItems) also "
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
  m.VertexProgram::addLooks(m.result);
  m.addExecute();
  m.addGate();
  m.plan();
  std::vector<Group> groups = formChains(m.units(), m.facts(), m.builder());
  for (Group &group : groups)
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

} // namespace ipumodel
