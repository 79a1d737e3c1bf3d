#include "host/train/state/run_manifest.hpp"

#include "graph/model_shapes.hpp"
#include "host/run/whole_file.hpp"
#include "outfeed/rules/tensor_traits_json.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"

#include <poplar/Graph.hpp>

#include <functional>

namespace popscope::host {

namespace {

std::string field(const std::string &name, const std::string &json) {
  return text::jsonString(name) + ": " + json;
}

template <class List, class ToJson>
std::string array(const List &list, const ToJson &toJson) {
  std::string text;
  for (const auto &item : list)
    text += (text.empty() ? "" : ", ") + toJson(item);
  return "[" + text + "]";
}

std::string object(const std::vector<std::string> &fields,
                   const std::string &separator = ", ") {
  std::string text;
  for (const std::string &f : fields)
    text += (text.empty() ? "" : separator) + f;
  return "{" + text + "}";
}

std::string number(std::size_t value) { return std::to_string(value); }

std::string layers(const graph::ModelSpec &model) {
  const auto shapes = graph::outputShapes(model);
  std::size_t i = 0;
  return array(model.layers, [&](const graph::LayerSpec &layer) {
    return "\n    " + object({field("name", text::jsonString(layer.name)),
                              field("stage", number(layer.stage)),
                              field("output", array(shapes[i++], number))});
  });
}

std::string state(const ModelEngine &model) {
  return array(model.state(), [](const graph::StateTensor &tensor) {
    return "\n    " +
           object({field("name", text::jsonString(tensor.name)),
                   field("shape", array(tensor.shape, number)),
                   field("type",
                         text::jsonString(std::string(tensor.type.toString()))),
                   field("trainable", tensor.trainable ? "true" : "false")});
  });
}

std::string tensors(const RunFacts &facts) {
  return array(facts.tensors, [](const outfeed::TensorTraits &tensor) {
    return "\n    " + toJson(tensor);
  });
}

// One field per line.
std::string manifestText(const RunFacts &facts) {
  const TrainingPlan &plan = facts.plan;
  return object(
      {field("version", text::jsonString(POPSCOPE_VERSION)),
       field("engine", text::jsonString(std::string(poplar::versionString()))),
       field("device", text::jsonString(facts.device)),
       field("command_line", array(facts.commandLine, text::jsonString)),
       field("model", text::jsonString(plan.spec.model.name)),
       field("model_file",
             plan.preset.isOfFile() ? plan.preset.source : "null"),
       field("layers", layers(plan.spec.model)),
       field("data",
             object({field("train", number(facts.data.train.size())),
                     field("validation", number(facts.data.validation.size())),
                     field("test", number(facts.data.test.size()))})),
       field("optimizer", text::jsonString(optimizerName(plan.spec.optimizer))),
       field("learning_rate", text::shortestDecimal(plan.schedule.at(0))),
       field("learning_rate_schedule", text::jsonString(plan.schedule.text())),
       field("batch_size", number(plan.spec.batchSize)),
       field("gradient_accumulation", number(plan.spec.accumulation)),
       field("accumulation_method",
             text::jsonString(accumulationName(plan.spec.accumulationMethod))),
       field("loss_scale", text::shortestDecimal(plan.spec.lossScale)),
       field("pipelined", plan.spec.pipelined ? "true" : "false"),
       field("replicas", number(plan.replicas)),
       field("precision",
             text::jsonString(std::string(plan.spec.precision.toString()))),
       field("epochs", number(plan.epochs)),
       field("steps_per_epoch", number(plan.batchesPerEpoch)),
       field("steps_per_execution", number(plan.batchesPerExecution)),
       field("seed", std::to_string(plan.seed)),
       field("health", toJson(facts.health)),
       field("cost", facts.cost ? toJson(*facts.cost) : "null"),
       field("state", state(facts.model)),
       field("tensors", tensors(facts))},
      ",\n  ");
}

} // namespace

void writeManifest(const RunDirectory &run, const RunFacts &facts) {
  const std::filesystem::path file = run.path() / "popscope.json";
  summary::WriteReport loss;
  loss.what = file.string();
  try {
    replaceFile(file, manifestText(facts) + '\n');
  } catch (const std::exception &error) {
    loss.error = reasonOf(error);
  }
  // One that is written makes up for those that were not.
  run.report().update(loss, StepsAre::epochs);
}

} // namespace popscope::host
