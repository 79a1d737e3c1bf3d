#include "test_program.hpp"

#include <gmock/gmock.h>

namespace ipumodel {

namespace {

using testing::ElementsAre;

// A product, what is done in between, and the update that uses the product.
struct Model : TestProgram {
  poplar::Tensor a = add("a"), w = add("w"), product = add("product");
  void addProduct() { add(Product{}, "product", {product}, {a}); }
  void addUpdate() { add(Update{}, "update", {w}, {w, product}); }
  Line joined() { return joinPairs(units(), facts(), builder()); }
};

} // namespace

TEST(AccumulatePass, MakesOneOperationOfAProductAndItsUpdate) {
  Model m;
  m.addProduct();
  m.addUpdate();
  m.plan();
  const Line line = m.joined();
  ASSERT_EQ(line.size(), 1u);
  EXPECT_EQ(line[0].program->name, "product");
  EXPECT_EQ(line[0].second->name, "update");
  EXPECT_EQ(line[0].joined->op.outputs[0]->view,
            m.line()[1]->op->outputs[0]->view);
}

TEST(AccumulatePass, DoesNothingIfItIsOff) {
  Model m;
  m.addProduct();
  m.addUpdate();
  m.plan("-accumulate");
  EXPECT_EQ(m.joined().size(), 2u);
}

TEST(AccumulatePass, KeepsAProductThatTheHostReads) {
  Model m;
  m.addProduct();
  m.addUpdate();
  m.graph.createHostRead("product", m.product);
  m.plan();
  EXPECT_EQ(m.joined().size(), 2u);
}

TEST(AccumulatePass, KeepsAProductThatAnotherOperationReads) {
  Model m;
  m.addProduct();
  m.addUpdate();
  m.add(Other{}, "other", {m.a}, {m.product});
  m.plan();
  EXPECT_EQ(m.joined().size(), 3u);
}

TEST(AccumulatePass, KeepsAProductThatAnotherProgramReads) {
  Model m;
  m.addProduct();
  m.addUpdate();
  poplar::program::Sequence look;
  addNative(look, Other{}, {m.a}, {m.product}, {"look"});
  m.plan("1", {look});
  EXPECT_EQ(m.joined().size(), 2u);
}

TEST(AccumulatePass, KeepsAProductBeforeAnythingButAnUpdate) {
  Model m;
  m.addProduct();
  m.add(Other{}, "other", {m.w}, {m.w, m.product});
  m.plan();
  EXPECT_EQ(m.joined().size(), 2u);
}

TEST(AccumulatePass, JoinsAcrossABranchThatIsNotTaken) {
  Model m;
  m.addProduct();
  const poplar::Tensor taken = m.add("taken", {}, poplar::INT);
  m.prog.add(poplar::program::If(taken, poplar::program::Sequence(),
                                 poplar::program::Sequence()));
  m.addUpdate();
  m.plan();
  EXPECT_EQ(m.joined().size(), 3u);
  Line line = m.units();
  line[1].isSkipped = true;
  line = joinPairs(std::move(line), m.facts(), m.builder());
  ASSERT_EQ(line.size(), 2u);
  EXPECT_TRUE(line[0].joined);
}

TEST(AccumulatePass, MovesAProductToItsUpdate) {
  const auto order = [](const char *fusion, bool changesOperand) {
    Model m;
    const poplar::Tensor read = m.add("read");
    m.addProduct();
    m.add(Other{}, "other", {changesOperand ? m.a : read}, {m.w});
    m.addUpdate();
    m.plan(fusion);
    return namesOf(bringPairsTogether(m.line(), m.facts()));
  };
  EXPECT_THAT(order("1", false), ElementsAre("other", "product", "update"));
  EXPECT_THAT(order("1", true), ElementsAre("product", "other", "update"));
  EXPECT_THAT(order("-accumulate", false),
              ElementsAre("product", "other", "update"));
}

TEST(AccumulatePass, LeavesAProductForTheUpdateOfTheNextRun) {
  Model m;
  m.addUpdate();
  m.add(Other{}, "other", {m.add("b")}, {m.add("c")});
  m.addProduct();
  m.plan();
  EXPECT_THAT(namesOf(bringPairsTogether(m.line(), m.facts())),
              ElementsAre("update", "other", "product"));
}

TEST(AccumulatePass, LeavesAProductWhoseOperandIsCopiedOver) {
  Model m;
  m.addProduct();
  m.prog.add(poplar::program::Copy(m.add("next"), m.a));
  m.addUpdate();
  m.plan();
  EXPECT_EQ(namesOf(bringPairsTogether(m.line(), m.facts()))[0], "product");
}

TEST(AccumulatePass, KeepsWhatIsProfiledApart) {
  for (const char *profiled : {"product", "update"}) {
    Model m;
    m.addProduct();
    m.addUpdate();
    m.profile(profiled);
    m.plan();
    EXPECT_EQ(m.joined().size(), 2u) << profiled;
  }
}

} // namespace ipumodel
