// What a tap observer is told, and that being observed changes nothing.
#include "graph/models.hpp"
#include "tests/graph/small_model.hpp"
#include "tests/graph/test_trainer.hpp"

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
          "input", "conv_acts", "pool_acts", "hidden_acts", "out_acts", "loss",
          "out/bias:0_grad", "out/kernel:0_grad", "hidden/bias:0_grad",
          "hidden/kernel:0_grad", "conv/bias:0_grad", "conv/kernel:0_grad", "|",
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
  recorder.names.resize(15);
  EXPECT_THAT(recorder.names,
              ElementsAre("input", "conv_acts", "pool_acts", "|", "hidden_acts",
                          "out_acts", "loss", "out/bias:0_grad",
                          "out/kernel:0_grad", "hidden/bias:0_grad",
                          "hidden/kernel:0_grad", "|", "conv/bias:0_grad",
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
