#include "host/train/training_callbacks.hpp"

#include "host/callbacks/confusion_matrix_image.hpp"
#include "host/callbacks/csv_log.hpp"
#include "host/callbacks/evaluate.hpp"
#include "host/callbacks/learning_rate_log.hpp"
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

} // namespace

std::vector<std::unique_ptr<Callback>> makeCallbacks(const TrainingPlan &plan,
                                                     const TrainingData &data,
                                                     const RunDirectory &run) {
  const PresetCallbacks &wanted = plan.preset.callbacks;
  const auto classes = unsigned(plan.preset.classNames.size());
  const MetricSet metrics(classes, plan.preset.metrics);

  std::vector<std::unique_ptr<Callback>> callbacks;
  const auto add = [&callbacks](auto callback) {
    callbacks.push_back(std::move(callback));
  };
  add(std::make_unique<TensorBoard>(
      run, TensorBoard::Page{plan.spec.model, plan.spec.batchSize},
      wanted.histograms));
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
    add(std::make_unique<RenderFilters>(run.writer("filters"), *wanted.filters,
                                        convolutions(plan.spec.model)));
  if (isWanted(wanted.confusionMatrix))
    add(std::make_unique<ConfusionMatrixImage>(
        run.writer("cm"), *wanted.confusionMatrix, data.test,
        plan.preset.classNames));
  if (!wanted.testCurves && !wanted.testSheet)
    return callbacks;
  // The tutorial counts epochs from 1.
  const std::shared_ptr<summary::EventWriter> test = run.writer("test", 1);
  if (wanted.testCurves)
    add(std::make_unique<TestCurves>(test, *wanted.testCurves, data.test,
                                     classes));
  if (wanted.testSheet)
    add(std::make_unique<TestSheet>(test, *wanted.testSheet, data));
  return callbacks;
}

} // namespace popscope::host
