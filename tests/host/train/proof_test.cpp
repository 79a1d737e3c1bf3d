#include "graph/codelets.hpp"
#include "host/train/proof.hpp"
#include "outfeed/tap_session.hpp"
#include "tests/graph/small_model.hpp"
#include "tests/graph/test_trainer.hpp"

#include <popops/ElementWise.hpp>

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace popscope::host {
namespace {

using graph::tests::smallSpec;
using graph::tests::TestTrainer;
using graph::tests::TestTrainerOptions;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TrainedBits trainWith(graph::TapObserver *observer,
                      outfeed::TapSession *session = nullptr) {
  TestTrainerOptions options;
  options.taps = observer;
  TestTrainer trainer(smallSpec(), options);
  if (session)
    session->connect(trainer.engine());
  trainer.train(4);
  TrainedBits bits;
  for (const auto &[name, values] : trainer.weights()) {
    SavedTensor saved{name, std::vector<std::uint8_t>(values.size() * 4)};
    std::memcpy(saved.bytes.data(), values.data(), saved.bytes.size());
    bits.state.push_back(std::move(saved));
  }
  bits.sums = trainer.losses();
  return bits;
}

// Adds a millionth to a gradient that it should only read.
class UnsafeObserver : public graph::TapObserver {
public:
  void visit(poplar::Graph &graph, poplar::program::Sequence &prog,
             const graph::TapPoint &point) override {
    if (point.kind != graph::TensorKind::gradient ||
        point.name.find("conv/") == std::string::npos)
      return;
    const poplar::Tensor more = graph.addConstant<float>(
        point.tensor.elementType(), {}, 1.000001f, {"more"});
    graph.setTileMapping(more, 0);
    popops::mulInPlace(graph, point.tensor, more, prog, {"unsafe"});
  }
  void flush(poplar::Graph &, poplar::program::Sequence &,
             graph::TapMoment) override {}
};

class SafeObserver : public graph::TapObserver {
public:
  explicit SafeObserver(outfeed::TapSession &session) : session_(session) {}
  void visit(poplar::Graph &graph, poplar::program::Sequence &prog,
             const graph::TapPoint &point) override {
    if (!hasCodelets_)
      graph::addCodelets(graph);
    hasCodelets_ = true;
    session_.visit(graph, prog, point);
  }
  void flush(poplar::Graph &graph, poplar::program::Sequence &prog,
             graph::TapMoment moment) override {
    session_.flush(graph, prog, moment);
  }

private:
  outfeed::TapSession &session_;
  bool hasCodelets_ = false;
};

TEST(Proof, HoldsForTaps) {
  outfeed::TapSession session({outfeed::parseTapRule("* -> identity")});
  SafeObserver observer(session);
  const TrainedBits with = trainWith(&observer, &session);
  session.close();
  const TrainedBits without = trainWith(nullptr);
  EXPECT_THAT(differencesBetween(with, without), IsEmpty());
  EXPECT_EQ(hashOf(with.state), hashOf(without.state));
}

TEST(Proof, CatchesAnObserverThatChangesAGradient) {
  UnsafeObserver observer;
  const TrainedBits with = trainWith(&observer), without = trainWith(nullptr);
  const std::vector<std::string> lines = differencesBetween(with, without);
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines, testing::Contains(testing::HasSubstr("conv/kernel:0: ")));
  EXPECT_NE(hashOf(with.state), hashOf(without.state));
}

TEST(Proof, NamesTensorsAndNumbersThatDiffer) {
  TrainedBits a;
  a.state = {{"w", {0, 0, 0, 0, 1, 0, 0, 0}}, {"seed", {1, 2, 3, 4}}};
  a.log = "epoch,learning_rate,loss\n0,0.1,2.5\n1,0.1,2.25\n";
  TrainedBits b = a;
  EXPECT_THAT(differencesBetween(a, b), IsEmpty());
  b.state[0].bytes[5] = 1;
  b.log = "epoch,learning_rate,loss\n0,0.1,2.5\n1,0.1,2.26\n";
  EXPECT_THAT(differencesBetween(a, b),
              ElementsAre("loss of epoch 1: 2.25 with taps, 2.26 without",
                          "w: 1 of 2 elements differ"));
  b = a;
  b.state.pop_back();
  EXPECT_THAT(differencesBetween(a, b), SizeIs(1));
  b = a;
  b.log += "2,0.1,2\n";
  EXPECT_THAT(differencesBetween(a, b), SizeIs(1));
}

TEST(Proof, SeesTheLastBitsOfSums) {
  TrainedBits a;
  a.sums = {1.0};
  TrainedBits b = a;
  b.sums = {1.0 + 0x1p-52};
  EXPECT_THAT(differencesBetween(a, b), SizeIs(1));
}

} // namespace
} // namespace popscope::host
