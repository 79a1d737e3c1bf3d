#include "host/record/hyperparameters.hpp"

#include "graph/model_shapes.hpp"
#include "text/number_text.hpp"

#include <cstdlib>

namespace popscope::host {

namespace {

// The double that looks like the float: 0.01, not 0.009999999776482582.
double asWritten(float value) {
  return std::strtod(text::shortestDecimal(value).c_str(), nullptr);
}

} // namespace

summary::HParams hyperparameters(const TrainingPlan &plan,
                                 const std::string &dataDirectory) {
  const graph::TrainingSpec &spec = plan.spec;
  return {
      {"preset", plan.preset.name},
      {"optimizer", optimizerName(spec.optimizer)},
      {"learning_rate", asWritten(plan.schedule.at(0))},
      {"learning_rate_schedule",
       plan.schedule.isConstant() ? "constant" : plan.schedule.text()},
      {"batch_size", spec.batchSize},
      {"gradient_accumulation", spec.accumulation},
      {"accumulation_method", accumulationName(spec.accumulationMethod)},
      {"replicas", plan.replicas},
      {"pipeline_stages", spec.pipelined ? graph::stageCount(spec.model) : 1u},
      {"precision", std::string(spec.precision.toString())},
      {"loss_scale", asWritten(spec.lossScale)},
      {"steps_per_epoch", plan.batchesPerEpoch},
      {"steps_per_execution", plan.batchesPerExecution},
      {"seed", plan.seed},
      {"data", dataDirectory}};
}

} // namespace popscope::host
