// What the device sends when a tensor goes bad, against full taps of the same
// tensors in a second training.
#include "outfeed/sinks/bad_tensor_dump.hpp"
#include "tests/outfeed/health/watched_training.hpp"
#include "tests/support/temp_dir.hpp"

#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/codelets.hpp>

#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <tuple>

namespace popscope::outfeed {
namespace {

using graph::TapMoment;
using graph::TensorKind;
using graph::tests::smallSpec;
using poplar::program::Repeat;
using poplar::program::Sequence;
using tests::Variant;
using tests::Watched;

using Bytes = std::vector<std::byte>;

// What was dumped of one tensor and replica, by name.
class KeepDump : public SampleSink {
public:
  KeepDump(std::string tensor, unsigned replica,
           std::map<std::string, Bytes> &kept, unsigned &calls)
      : tensor_(std::move(tensor)), replica_(replica), kept_(kept),
        calls_(calls) {}
  void take(const Tap &, Update, const TensorSample &) override {}
  void takeDump(const DumpedTensors &dumped) override {
    if (dumped.bad.name != tensor_ || dumped.replica != replica_ ||
        dumped.bad.moment != TapMoment::microBatch)
      return;
    ++calls_;
    for (const DumpedTensors::Part &part : dumped.parts)
      kept_[part.tensor.name] = {part.elements,
                                 part.elements + part.tensor.bytes()};
  }

private:
  const std::string tensor_;
  const unsigned replica_;
  std::map<std::string, Bytes> &kept_;
  unsigned &calls_;
};

// The elements of full taps, by name, update, micro-batch and replica.
using Elements =
    std::map<std::tuple<std::string, std::uint32_t, unsigned, unsigned>, Bytes>;
class KeepElements : public SampleSink {
public:
  explicit KeepElements(Elements &kept) : kept_(kept) {}
  void take(const Tap &, Update, const TensorSample &) override {}
  void takeElements(const Tap &tap, Update update, const SampleOrigin &origin,
                    const void *elements, std::size_t bytes) override {
    // Gradients of an update have the names of those of a micro-batch.
    if (tap.tensor.kind == TensorKind::gradient &&
        tap.tensor.moment != TapMoment::microBatch)
      return;
    const auto *const begin = static_cast<const std::byte *>(elements);
    kept_[{tap.tensor.name, update.value(), origin.microBatch,
           origin.replica}] = {begin, begin + bytes};
  }

private:
  Elements &kept_;
};

class Dump : public testing::TestWithParam<Variant> {
protected:
  static constexpr std::uint32_t kUpdate = 2;
  const unsigned microBatch_ = GetParam().accumulation - 1;
  const unsigned replica_ = GetParam().replicas - 1;

  std::string faultIn(const std::string &tensor) const {
    return "nan:" + tensor + "@update=2,index=1,at=microBatch,micro_batch=" +
           std::to_string(microBatch_) + ",replica=" + std::to_string(replica_);
  }
  // Of a training in which the tensor goes bad in one micro-batch.
  std::map<std::string, Bytes> dumpOf(const std::string &tensor,
                                      std::vector<TapRule> rules = {}) {
    std::map<std::string, Bytes> kept;
    unsigned calls = 0;
    Watched::Extras extras;
    extras.rules = std::move(rules);
    extras.dump = true;
    extras.sink = std::make_unique<KeepDump>(tensor, replica_, kept, calls);
    Watched(smallSpec(), GetParam(), faultIn(tensor), std::move(extras))
        .train(4);
    EXPECT_EQ(calls, 1u);
    return kept;
  }
  // Those that full taps send in the same training.
  Elements elementsOf(const std::string &tensor) {
    Elements kept;
    Watched::Extras extras;
    extras.rules = {parseTapRule("* -> full")};
    extras.sink = std::make_unique<KeepElements>(kept);
    Watched(smallSpec(), GetParam(), faultIn(tensor), std::move(extras))
        .train(3);
    return kept;
  }
};

TEST_P(Dump, HasTheTensorAndItsInputsOfTheSameMicroBatch) {
  const auto dumped = dumpOf("hidden_preacts");
  Elements tapped = elementsOf("hidden_preacts");
  std::vector<std::string> names;
  for (const auto &[name, bytes] : dumped)
    names.push_back(name);
  // What another stage computed is not there.
  std::vector<std::string> expectedNames = {"hidden/bias:0", "hidden/kernel:0",
                                            "hidden_preacts"};
  if (!GetParam().pipelined)
    expectedNames.push_back("pool_acts");
  EXPECT_EQ(names, expectedNames);
  for (const auto &[name, bytes] : dumped) {
    // A weight is what it was after the update before.
    const bool isWeight = name.find(':') != std::string::npos;
    const Bytes &expected =
        isWeight ? tapped[{name, kUpdate - 1, 0, replica_}]
                 : tapped[{name, kUpdate, microBatch_, replica_}];
    EXPECT_FALSE(expected.empty()) << name;
    EXPECT_TRUE(bytes == expected) << name;
  }
}

TEST_P(Dump, OfAGradientHasItsInputs) {
  const auto dumped = dumpOf("hidden/kernel:0_grad");
  Elements tapped = elementsOf("hidden/kernel:0_grad");
  EXPECT_GE(dumped.size(), GetParam().pipelined ? 1u : 2u);
  for (const auto &[name, bytes] : dumped)
    EXPECT_TRUE((bytes == tapped[{name, kUpdate, microBatch_, replica_}]))
        << name;
}

TEST_P(Dump, IsTheSameBesideRules) {
  const auto alone = dumpOf("hidden_preacts");
  for (const char *rule : {"* -> stats", "* when abs_max>1e30 -> full",
                           "* when nan>0 -> shape", "* @ every 2 -> full"})
    EXPECT_TRUE(dumpOf("hidden_preacts", {parseTapRule(rule)}) == alone)
        << rule;
}

TEST_P(Dump, ChangesNoBitOfTheWeights) {
  Watched::Extras extras;
  extras.dump = true;
  Watched dumping(smallSpec(), GetParam(), "", std::move(extras));
  EXPECT_FALSE(dumping.train(4));
  Watched plain(smallSpec(), GetParam(), "");
  EXPECT_FALSE(plain.train(4));
  EXPECT_TRUE(plain.trainer().weights() == dumping.trainer().weights());
}

INSTANTIATE_TEST_SUITE_P(
    , Dump,
    testing::Values(Variant{"Plain"}, Variant{"Accumulated", 3},
                    Variant{"Pipelined", 4, true},
                    Variant{"Replicated", 1, false, 2},
                    Variant{"PipelinedAndReplicated", 4, true, 2}),
    [](const auto &info) { return info.param.name; });

// A tensor that is bad from the third of a thousand executions on.
TEST(DumpOnce, ComesOnceThoughATensorIsBadAThousandTimes) {
  namespace pe = popops::expr;
  std::map<std::string, Bytes> kept;
  unsigned calls = 0;
  TapOptions options;
  options.health = options.dump = true;
  TapSession session({}, options);
  popscope::tests::TempDir directory;
  session.addSink(std::make_unique<KeepDump>("y", 0, kept, calls));
  session.addSink(std::make_unique<BadTensorDump>(directory.path() / "dump"));

  poplar::IPUModel model;
  model.tilesPerIPU = 4;
  poplar::Device device = model.createDevice();
  poplar::Graph graph(device.getTarget());
  popops::addCodelets(graph);
  graph::addCodelets(graph);
  const poplar::Tensor x = graph.addVariable(poplar::FLOAT, {3}, "x");
  graph.setTileMapping(x, 0);
  graph.setInitialValue<float>(x, std::vector<float>{1, 2, 4});
  Sequence body;
  graph::TapPoint point{"x", TensorKind::activation, TapMoment::microBatch, 0,
                        x};
  session.visit(graph, body, point);
  const poplar::Tensor y = popops::map(
      graph, pe::Sqrt(pe::Sub(pe::Const(10.0f), pe::_1)), {x}, body);
  point = {"y", TensorKind::activation, TapMoment::microBatch, 0, y};
  point.derivation.inputs = {"x"};
  session.visit(graph, body, point);
  session.flush(graph, body, TapMoment::microBatch);
  popops::mapInPlace(graph, pe::_1 + pe::Const(3.0f), {x}, body);
  poplar::Engine engine(graph, Repeat(1000, body));
  session.connect(engine);
  engine.load(device);
  engine.run();
  EXPECT_TRUE(session.close().isWhole());

  EXPECT_EQ(calls, 1u);
  ASSERT_EQ(kept["x"].size(), 3 * sizeof(float));
  float last;
  std::memcpy(&last, kept["x"].data() + 2 * sizeof last, sizeof last);
  EXPECT_EQ(last, 4 + 3 * 3.0f); // 10 - 13 is the first that has no root
  ASSERT_TRUE(session.verdict());
  EXPECT_EQ(session.verdict()->update, Update(3));
  EXPECT_EQ(
      std::distance(
          std::filesystem::directory_iterator(directory.path() / "dump"), {}),
      2);
}

} // namespace
} // namespace popscope::outfeed
