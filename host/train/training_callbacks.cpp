#include "host/train/training_callbacks.hpp"

#include "host/callbacks/confusion_matrix_image.hpp"
#include "host/callbacks/csv_log.hpp"
#include "host/callbacks/evaluate.hpp"
#include "host/callbacks/flush_log.hpp"
#include "host/callbacks/learning_rate_log.hpp"
#include "host/callbacks/pr_curves.hpp"
#include "host/callbacks/projector_page.hpp"
#include "host/callbacks/render_filters.hpp"
#include "host/callbacks/tensorboard.hpp"
#include "host/callbacks/test_curves.hpp"
#include "host/callbacks/test_sheet.hpp"

#include <optional>
#include <variant>

namespace popscope::host {

namespace {

std::vector<std::string> convolutions(const graph::ModelSpec &model) {
  std::vector<std::string> names;
  for (const graph::LayerSpec &layer : model.layers)
    if (std::holds_alternative<graph::Conv>(layer.kind))
      names.push_back(layer.name);
  return names;
}

// Where and how often the training is evaluated on the test set anyway.
struct Evaluated {
  PrCurves::Place place;
  unsigned period; // epochs
};

std::optional<Evaluated> evaluationOf(const Preset &preset) {
  const PresetCallbacks &wanted = preset.callbacks;
  if (wanted.evaluate)
    return Evaluated{{"evaluation"}, wanted.evaluate->every};
  if (wanted.testCurves)
    return Evaluated{{"test", 1}, 1};
  if (preset.validation == ValidationSet::test)
    return Evaluated{{"validation"}, preset.validationEvery};
  return std::nullopt;
}

} // namespace

std::vector<std::unique_ptr<Callback>> makeCallbacks(const TrainingPlan &plan,
                                                     const TrainingData &data,
                                                     const RunDirectory &run,
                                                     TrainingPage graphs) {
  const PresetCallbacks &wanted = plan.preset.callbacks;
  const auto classes = unsigned(plan.preset.classNames.size());
  const MetricSet metrics(classes, plan.preset.metrics);

  std::vector<std::unique_ptr<Callback>> callbacks;
  const auto add = [&callbacks](auto callback) {
    callbacks.push_back(std::move(callback));
  };
  add(std::make_unique<TensorBoard>(run, std::move(graphs), wanted.histograms,
                                    std::uint64_t(run.firstEpoch().index()) *
                                        plan.batchesPerEpoch /
                                        plan.spec.accumulation));
  add(std::make_unique<CsvLog>(run.path() / "log.csv", run.firstEpoch(),
                               metrics.values(), run.report()));
  if (wanted.learningRate || !plan.schedule.isConstant())
    add(std::make_unique<LearningRateLog>(run.writer("lr")));
  // TensorBoard would list a run without points, which confuses.
  const auto isWanted = [&plan](const std::optional<Stagger> &stagger) {
    return stagger && stagger->isEverDue(plan.epochs);
  };
  if (isWanted(wanted.evaluate))
    add(std::make_unique<Evaluate>(run.writer("evaluation"), *wanted.evaluate,
                                   data.test, metrics));
  if (isWanted(wanted.filters))
    add(std::make_unique<RenderFilters>(run.writer("train"), *wanted.filters,
                                        convolutions(plan.spec.model)));
  if (isWanted(wanted.confusionMatrix))
    add(std::make_unique<ConfusionMatrixImage>(
        run.writer("cm"), *wanted.confusionMatrix, data.test,
        plan.preset.classNames));
  if (const auto evaluated = evaluationOf(plan.preset))
    add(std::make_unique<PrCurves>(run, evaluated->place, plan.epochs,
                                   evaluated->period, data.test,
                                   plan.preset.classNames));
  if (plan.projectorImages != 0)
    add(std::make_unique<ProjectorPage>(run.path(), plan.epochs, data.test,
                                        plan.projectorImages,
                                        plan.preset.classNames));
  if (wanted.testCurves || wanted.testSheet) {
    // The tutorial counts epochs from 1.
    const std::shared_ptr<summary::EventWriter> test = run.writer("test", 1);
    // A start from the first epoch draws the training data, at step 0, again.
    if (run.isResumed() && run.firstEpoch() == Epoch(0))
      test->resume(summary::Step(0));
    if (wanted.testCurves)
      add(std::make_unique<TestCurves>(test, *wanted.testCurves, data.test,
                                       classes));
    if (wanted.testSheet)
      add(std::make_unique<TestSheet>(test, *wanted.testSheet, data,
                                      run.firstEpoch()));
  }
  add(std::make_unique<FlushLog>(run));
  return callbacks;
}

} // namespace popscope::host
