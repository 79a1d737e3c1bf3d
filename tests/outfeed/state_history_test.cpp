#include "outfeed/state_history.hpp"

#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <gtest/gtest.h>
#include <memory>

namespace popscope::outfeed {
namespace {

// x -> x * x / 2 - 1, which never settles.
class Program {
public:
  explicit Program(float start)
      : device_(poplar::IPUModel().createDevice()),
        graph_(device_.getTarget()) {
    popops::addCodelets(graph_);
    const poplar::Tensor x = graph_.addVariable(poplar::FLOAT, {1}, "x");
    graph_.setTileMapping(x, 0);
    graph_.setInitialValue(x, start);
    graph_.createHostRead("x", x);
    graph_.createHostWrite("x", x);
    poplar::program::Sequence update;
    popops::mulInPlace(graph_, x, x, update);
    popops::mulInPlace(graph_, x, 0.5f, update);
    popops::subInPlace(graph_, x, 1.0f, update);
    engine_ = std::make_unique<poplar::Engine>(graph_, update);
    engine_->load(device_);
  }
  poplar::Engine &engine() { return *engine_; }
  float x() {
    float value = 0;
    engine_->readTensor("x", &value, &value + 1);
    return value;
  }

private:
  poplar::Device device_;
  poplar::Graph graph_;
  std::unique_ptr<poplar::Engine> engine_;
};

const std::vector<StateHistory::Part> kParts = {{"x", sizeof(float)}};

TEST(StateHistory, AnUpdateRunsAgainInAnotherEngine) {
  StateHistory history(kParts, 3);
  Program first(0.3f), second(0);
  std::vector<float> before;
  for (std::uint32_t update = 0; update < 6; ++update) {
    history.save(first.engine(), Update(update));
    before.push_back(first.x());
    first.engine().run();
  }
  EXPECT_EQ(history.restore(second.engine(), Update(4)), Update(4));
  EXPECT_EQ(second.x(), before[4]);
  second.engine().run();
  EXPECT_EQ(second.x(), before[5]);
  EXPECT_EQ(history.restore(second.engine(), Update(9)), Update(5));
  EXPECT_EQ(history.restore(second.engine(), Update(3)), Update(3));
  EXPECT_FALSE(history.restore(second.engine(), Update(2))); // forgotten
}

TEST(StateHistory, BeginsAtTheLastStateBeforeTheUpdate) {
  StateHistory history(kParts, 2);
  Program program(0.3f);
  for (std::uint32_t update = 0; update < 10; ++update) {
    if (update % 4 == 0)
      history.save(program.engine(), Update(update));
    program.engine().run();
  }
  EXPECT_EQ(history.restore(program.engine(), Update(7)), Update(4));
}

TEST(StateHistory, ForgetsWhatAReturnToAnEarlierUpdateUndoes) {
  StateHistory history(kParts, 5);
  Program program(0.3f);
  for (const std::uint32_t update : {0, 1, 2, 1})
    history.save(program.engine(), Update(update));
  EXPECT_EQ(history.restore(program.engine(), Update(2)), Update(1));
}

} // namespace
} // namespace popscope::outfeed
