// What a tap observer is told, and that being observed changes nothing.
#include "graph/models.hpp"
#include "tests/graph/small_model.hpp"
#include "tests/graph/test_trainer.hpp"

#include <poputil/Util.hpp>

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::graph {
namespace {

using testing::ElementsAre;
using tests::smallSpec;
using tests::TestTrainer;
using tests::TestTrainerOptions;

// Lists points by moment and flushes as "|", and keeps all tensors alive to the
// end of their program by letting the host read them.
class Recorder : public TapObserver {
public:
  explicit Recorder(bool wantsUpdates = true) : wantsUpdates_(wantsUpdates) {}

  void visit(poplar::Graph &graph, poplar::program::Sequence &,
             const TapPoint &point) override {
    names.push_back(point.name);
    points.push_back(point);
    graph.createHostRead(point.name + "@" +
                             std::to_string(unsigned(point.moment)),
                         point.tensor);
  }
  bool wantsUpdate(const std::string &) const override { return wantsUpdates_; }
  void flush(poplar::Graph &, poplar::program::Sequence &,
             TapMoment moment) override {
    names.push_back(moment == TapMoment::microBatch ? "|" : "||");
  }

  const TapPoint &find(const std::string &name, TapMoment moment) const {
    for (const TapPoint &point : points)
      if (point.name == name && point.moment == moment)
        return point;
    throw std::out_of_range(name);
  }

  std::vector<std::string> names;
  std::vector<TapPoint> points;

private:
  bool wantsUpdates_;
};

TestTrainerOptions observedBy(Recorder &recorder, unsigned ipus = 1) {
  TestTrainerOptions options;
  options.taps = &recorder;
  options.ipusPerReplica = ipus;
  return options;
}

TEST(TapPoints, AreVisitedInProgramOrder) {
  Recorder recorder(false);
  TestTrainer trainer(smallSpec(), observedBy(recorder));
  EXPECT_THAT(
      recorder.names,
      ElementsAre(
          "input", "conv_preacts", "conv_acts", "pool_acts", "hidden_preacts",
          "hidden_acts", "out_preacts", "out_acts", "loss", "out_preacts_grad",
          "out/bias:0_grad", "out/kernel:0_grad", "hidden_acts_grad",
          "hidden/bias:0_grad", "hidden/kernel:0_grad", "pool_acts_grad",
          "conv_acts_grad", "conv/bias:0_grad", "conv/kernel:0_grad", "|",
          "out/bias:0_grad", "out/kernel:0_grad", "hidden/bias:0_grad",
          "hidden/kernel:0_grad", "conv/bias:0_grad", "conv/kernel:0_grad",
          "conv/kernel:0", "conv/bias:0", "hidden/kernel:0", "hidden/bias:0",
          "out/kernel:0", "out/bias:0", "||"));
}

TEST(TapPoints, OfAPipelineLeaveWithTheirStage) {
  TrainingSpec spec = smallSpec();
  spec.pipelined = true;
  spec.accumulation = 2;
  Recorder recorder(false);
  TestTrainer trainer(spec, observedBy(recorder, 2));
  recorder.names.resize(22);
  EXPECT_THAT(recorder.names,
              ElementsAre("input", "conv_preacts", "conv_acts", "pool_acts",
                          "|", "hidden_preacts", "hidden_acts", "out_preacts",
                          "out_acts", "loss", "out_preacts_grad",
                          "out/bias:0_grad", "out/kernel:0_grad",
                          "hidden_acts_grad", "hidden/bias:0_grad",
                          "hidden/kernel:0_grad", "|", "pool_acts_grad",
                          "conv_acts_grad", "conv/bias:0_grad",
                          "conv/kernel:0_grad", "|"));
  EXPECT_EQ(recorder.find("conv_acts", TapMoment::microBatch).stage, 0u);
  EXPECT_EQ(recorder.find("loss", TapMoment::microBatch).stage, 1u);
}

TEST(TapPoints, HaveTheShapesOfKeras) {
  Recorder recorder;
  TestTrainer trainer(smallSpec(), observedBy(recorder));
  const auto shape = [&](const char *name, TapMoment moment) {
    return recorder.find(name, moment).tensor.shape();
  };
  EXPECT_THAT(shape("input", TapMoment::microBatch), ElementsAre(4, 6, 6, 1));
  EXPECT_THAT(shape("conv_acts", TapMoment::microBatch),
              ElementsAre(4, 4, 4, 4));
  EXPECT_THAT(shape("out_acts", TapMoment::microBatch), ElementsAre(4, 10));
  EXPECT_THAT(shape("conv/kernel:0_grad", TapMoment::accumulated),
              ElementsAre(3, 3, 1, 4));
  EXPECT_THAT(shape("conv/kernel:0_update", TapMoment::applied),
              ElementsAre(3, 3, 1, 4));
  EXPECT_THAT(shape("hidden/kernel:0", TapMoment::applied),
              ElementsAre(16, 12));
}

TEST(TapPoints, AreThePartThatTheNextLayerReads) {
  TrainingSpec spec = smallSpec();
  spec.model.input = {7, 7, 1}; // of 5x5 outputs, pooling reads 4x4
  Recorder recorder;
  TestTrainer trainer(spec, observedBy(recorder));
  for (const char *name : {"conv_preacts", "conv_acts", "conv_acts_grad"}) {
    SCOPED_TRACE(name);
    const TapPoint &point = recorder.find(name, TapMoment::microBatch);
    EXPECT_THAT(point.tensor.shape(), ElementsAre(4, 4, 4, 4));
    EXPECT_THAT(point.partOf, ElementsAre(4, 5, 5, 4));
  }
  const TapPoint &pooled = recorder.find("pool_acts", TapMoment::microBatch);
  EXPECT_THAT(pooled.tensor.shape(), ElementsAre(4, 2, 2, 4));
  EXPECT_TRUE(pooled.partOf.empty());
}

TEST(TapPoints, OfOptimizersIncludeTheirState) {
  const auto statesOf = [](const OptimizerSpec &optimizer) {
    TrainingSpec spec = smallSpec();
    spec.optimizer = optimizer;
    Recorder recorder(false);
    TestTrainer trainer(spec, observedBy(recorder));
    std::vector<std::string> names;
    for (const TapPoint &point : recorder.points)
      if (point.kind == TensorKind::optimizerState &&
          point.name.find("out/kernel:0") == 0)
        names.push_back(point.name);
    return names;
  };
  EXPECT_THAT(statesOf({Sgd{}, 0.1f}), ElementsAre());
  EXPECT_THAT(statesOf({Sgd{0.9f}, 0.1f}),
              ElementsAre("out/kernel:0_momentum"));
  EXPECT_THAT(statesOf({RmsProp{}, 0.1f}), ElementsAre("out/kernel:0_rms"));
  EXPECT_THAT(statesOf({Adam{}, 0.1f}),
              ElementsAre("out/kernel:0_m", "out/kernel:0_v"));
}

TEST(TapPoints, InHalfIncludeTheLossScale) {
  TrainingSpec spec = smallSpec();
  spec.precision = poplar::HALF;
  spec.lossScale = 128.0f;
  Recorder recorder(false);
  TestTrainer trainer(spec, observedBy(recorder));
  trainer.train();
  float scale = 0.0f;
  trainer.engine().readTensor(
      "loss_scale@" + std::to_string(unsigned(TapMoment::microBatch)), &scale,
      &scale + 1);
  EXPECT_EQ(scale, 128.0f);
}

TEST(TapPoints, PreactivationsAreWhatTheReluIsAppliedTo) {
  // Kept by a copy, since the ReLU writes over them.
  struct Copier : TapObserver {
    void visit(poplar::Graph &graph, poplar::program::Sequence &prog,
               const TapPoint &point) override {
      if (point.name == "conv_preacts" || point.name == "conv_acts")
        graph.createHostRead(point.name, poputil::duplicate(graph, point.tensor,
                                                            prog, point.name));
    }
    bool wantsUpdate(const std::string &) const override { return false; }
    void flush(poplar::Graph &, poplar::program::Sequence &,
               TapMoment) override {}
  } copier;
  TestTrainerOptions options;
  options.taps = &copier;
  TestTrainer trainer(smallSpec(), options);
  trainer.train();
  std::vector<float> before(4 * 4 * 4 * 4), after(before.size());
  trainer.engine().readTensor("conv_preacts", before.data(),
                              before.data() + before.size());
  trainer.engine().readTensor("conv_acts", after.data(),
                              after.data() + after.size());
  EXPECT_LT(*std::min_element(before.begin(), before.end()), 0.0f);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(after[i], std::max(before[i], 0.0f)) << i;
}

TEST(TapPoints, NameThePointsTheyAreComputedFrom) {
  TrainingSpec spec = smallSpec();
  spec.optimizer = {Adam{}, 0.01f};
  Recorder recorder;
  TestTrainer trainer(spec, observedBy(recorder));
  const auto inputs = [&](const char *name, TapMoment moment) {
    return recorder.find(name, moment).derivation.inputs;
  };
  using M = TapMoment;
  EXPECT_THAT(inputs("conv_preacts", M::microBatch),
              ElementsAre("input", "conv/kernel:0", "conv/bias:0"));
  EXPECT_THAT(inputs("conv_acts", M::microBatch), ElementsAre("conv_preacts"));
  EXPECT_THAT(inputs("hidden_preacts", M::microBatch),
              ElementsAre("pool_acts", "hidden/kernel:0", "hidden/bias:0"));
  EXPECT_THAT(inputs("out_acts", M::microBatch), ElementsAre("out_preacts"));
  EXPECT_THAT(inputs("loss", M::microBatch), ElementsAre("out_acts"));
  EXPECT_THAT(inputs("out_preacts_grad", M::microBatch),
              ElementsAre("out_acts"));
  EXPECT_THAT(inputs("hidden_acts_grad", M::microBatch),
              ElementsAre("out_preacts_grad", "out/kernel:0"));
  EXPECT_THAT(inputs("pool_acts_grad", M::microBatch),
              ElementsAre("hidden_acts_grad", "hidden/kernel:0"));
  EXPECT_THAT(inputs("conv_acts_grad", M::microBatch),
              ElementsAre("pool_acts_grad"));
  EXPECT_THAT(inputs("conv/kernel:0_grad", M::microBatch),
              ElementsAre("input", "conv_acts_grad"));
  EXPECT_THAT(inputs("out/bias:0_grad", M::microBatch),
              ElementsAre("out_preacts_grad"));
  EXPECT_THAT(inputs("conv/kernel:0_grad", M::accumulated),
              ElementsAre("conv/kernel:0_grad"));
  EXPECT_THAT(inputs("conv/kernel:0_m", M::applied),
              ElementsAre("conv/kernel:0_m", "conv/kernel:0_grad"));
  EXPECT_THAT(inputs("conv/kernel:0", M::applied),
              ElementsAre("conv/kernel:0", "conv/kernel:0_grad",
                          "conv/kernel:0_m", "conv/kernel:0_v"));
}

TEST(TapPoints, NameOnlyPointsThatExist) {
  for (TrainingSpec spec :
       {smallSpec(), TrainingSpec{cnnModel(), cnnOptimizer()},
        TrainingSpec{gmpCnnModel(), gmpCnnOptimizer()}}) {
    spec.batchSize = 2;
    spec.precision = poplar::HALF;
    Recorder recorder;
    TestTrainer trainer(spec, observedBy(recorder));
    for (const TapPoint &point : recorder.points) {
      EXPECT_NE(point.derivation.computation, Computation::unknown)
          << point.name;
      for (const std::string &input : point.derivation.inputs)
        EXPECT_THAT(recorder.names, testing::Contains(input)) << point.name;
    }
  }
}

TEST(TapPoints, TellHowManyTermsASumHas) {
  Recorder recorder;
  TestTrainer trainer(smallSpec(), observedBy(recorder));
  const auto terms = [&](const char *name) {
    return recorder.find(name, TapMoment::microBatch).derivation.terms;
  };
  EXPECT_EQ(terms("conv_preacts"), 3u * 3);
  EXPECT_EQ(terms("hidden_preacts"), 16u);
  EXPECT_EQ(terms("hidden_acts_grad"), 10u);
  EXPECT_EQ(terms("conv/kernel:0_grad"), 4u * 4 * 4);
  EXPECT_EQ(terms("conv/bias:0_grad"), 4u * 4 * 4);
  EXPECT_EQ(terms("out/bias:0_grad"), 4u);
}

TEST(TapPoints, OfReplicasIncludeReducedGradients) {
  Recorder recorder;
  TestTrainerOptions options = observedBy(recorder);
  options.replicas = 2;
  TestTrainer trainer(smallSpec(), options);
  EXPECT_EQ(
      recorder.find("conv/bias:0_grad", TapMoment::reduced).tensor.shape(),
      std::vector<std::size_t>{4});
}

TEST(TapPoints, UpdatesAreWhatHappenedToTheWeights) {
  TrainingSpec spec = smallSpec();
  spec.optimizer = {Adam{}, 0.01f};
  Recorder recorder;
  TestTrainer trainer(spec, observedBy(recorder));
  trainer.train(2);
  const std::vector<float> before = trainer.read("hidden/kernel:0");
  trainer.train();
  const std::vector<float> after = trainer.read("hidden/kernel:0");
  std::vector<float> update(before.size());
  trainer.engine().readTensor("hidden/kernel:0_update@" +
                                  std::to_string(unsigned(TapMoment::applied)),
                              update.data(), update.data() + update.size());
  for (std::size_t i = 0; i < update.size(); ++i)
    EXPECT_EQ(update[i], after[i] - before[i]) << i;
}

void expectTapsChangeNothing(const TrainingSpec &spec, unsigned updates) {
  TestTrainerOptions alone;
  alone.ipusPerReplica = spec.pipelined ? 2 : 1;
  TestTrainer quiet(spec, alone);
  Recorder recorder;
  TestTrainer observed(spec, observedBy(recorder, alone.ipusPerReplica));
  quiet.train(updates);
  observed.train(updates);
  EXPECT_EQ(quiet.losses(), observed.losses());
  EXPECT_TRUE(quiet.weights() == observed.weights());
}

TEST(TapPoints, ChangeNoBitOfTheTraining) {
  TrainingSpec spec = smallSpec();
  spec.accumulation = 3;
  for (const bool pipelined : {false, true}) {
    spec.pipelined = pipelined;
    expectTapsChangeNothing(spec, 5);
  }
}

TEST(TapPoints, ChangeNoBitOfNamedModels) {
  TrainingSpec mlp, cnn, gmpCnn;
  mlp.model = mlpModel();
  cnn.model = cnnModel();
  cnn.optimizer = cnnOptimizer();
  gmpCnn.model = gmpCnnModel();
  gmpCnn.optimizer = gmpCnnOptimizer();
  for (TrainingSpec spec : {mlp, cnn, gmpCnn}) {
    SCOPED_TRACE(spec.model.name);
    spec.batchSize = 3;
    spec.accumulation = 2;
    expectTapsChangeNothing(spec, 2);
  }
}

} // namespace
} // namespace popscope::graph
