#include "host/record/run_text.hpp"

#include "graph/model_shapes.hpp"
#include "host/record/format_table.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"

#include <poplar/Graph.hpp>

#include <cstddef>
#include <variant>

namespace popscope::host {

namespace {

using Shape = std::vector<std::size_t>;

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

std::string row(const std::vector<std::string> &cells) {
  std::string text = "|";
  for (const std::string &cell : cells)
    text += " " + cell + " |";
  return text + "\n";
}

std::string heading(const std::vector<std::string> &cells) {
  return row(cells) + row(std::vector<std::string>(cells.size(), "---"));
}

std::string square(std::size_t side) {
  return std::to_string(side) + "x" + std::to_string(side);
}

std::string activationText(graph::Activation activation) {
  constexpr const char *kNames[] = {"", ", ReLU", ", SELU", ", softmax"};
  return kNames[unsigned(activation)];
}

std::string kindText(const graph::LayerSpec &layer) {
  return std::visit(
      Overloaded{[](const graph::Conv &conv) {
                   return "convolution " + square(conv.kernel) +
                          activationText(conv.activation);
                 },
                 [](const graph::Dense &dense) {
                   return "dense" + activationText(dense.activation);
                 },
                 [](const graph::MaxPool &pool) {
                   return "max pooling " + square(pool.window);
                 },
                 [](const graph::GlobalMaxPool &) {
                   return std::string("global max pooling");
                 },
                 [](const graph::Flatten &) { return std::string("flatten"); },
                 [](const graph::Dropout &dropout) {
                   return "dropout " + text::shortestDecimal(dropout.rate);
                 }},
      layer.kind);
}

// The kernel and a bias per output channel.
std::size_t parametersOf(const graph::LayerSpec &layer, const Shape &input) {
  if (const auto *const conv = std::get_if<graph::Conv>(&layer.kind))
    return (conv->kernel * conv->kernel * input.back() + 1) * conv->filters;
  if (const auto *const dense = std::get_if<graph::Dense>(&layer.kind))
    return (input.back() + 1) * dense->units;
  return 0;
}

std::string shapeText(const Shape &shape) {
  std::string text;
  for (const std::size_t size : shape)
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

std::string layerTable(const TrainingPlan &plan) {
  const graph::ModelSpec &model = plan.spec.model;
  std::vector<std::string> titles{"layer", "kind", "output", "parameters"};
  if (plan.spec.pipelined)
    titles.emplace_back("stage");
  std::string table = heading(titles);
  const std::vector<Shape> shapes = graph::outputShapes(model);
  Shape input = model.input;
  std::size_t all = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const graph::LayerSpec &layer = model.layers[i];
    const std::size_t parameters = parametersOf(layer, input);
    std::vector<std::string> cells{layer.name, kindText(layer),
                                   shapeText(shapes[i]),
                                   text::countText(parameters)};
    if (plan.spec.pipelined)
      cells.push_back(std::to_string(layer.stage));
    table += row(cells);
    all += parameters;
    input = shapes[i];
  }
  std::vector<std::string> total(titles.size());
  total[0] = "**all**";
  total[3] = "**" + text::countText(all) + "**";
  return table + row(total);
}

std::string dataText(const RunDescription &run) {
  const TrainingData &data = run.data;
  std::string text = "`" + run.dataDirectory +
                     "`: " + text::countText(data.train.size()) + " training, ";
  if (data.validation.size() != 0)
    text += text::countText(data.validation.size()) + " validation, ";
  return text + text::countText(data.test.size()) + " test images of " +
         std::to_string(data.train.rows) + "x" +
         std::to_string(data.train.columns) + ", " +
         std::to_string(data.classes) + " classes";
}

std::string trainingText(const TrainingPlan &plan) {
  const graph::TrainingSpec &spec = plan.spec;
  std::string text = optimizerName(spec.optimizer) + ", learning rate " +
                     plan.schedule.text() + ", batch " +
                     std::to_string(spec.batchSize);
  if (spec.accumulation > 1)
    text += ", " + std::to_string(spec.accumulation) + " batches accumulated";
  if (plan.replicas > 1)
    text += ", " + std::to_string(plan.replicas) + " replicas";
  return text + ", " + std::to_string(plan.epochs) + " epochs of " +
         text::countText(plan.batchesPerEpoch) + " batches, precision " +
         std::string(spec.precision.toString()) + ", seed " +
         std::to_string(plan.seed);
}

std::string item(const std::string &what, const std::string &text) {
  return "- **" + what + "**: " + text + "\n";
}

std::string tensorsText(const std::vector<outfeed::HealthCount::Row> &tensors) {
  std::string table = heading(
      {"tensor", "samples", "NaN", "infinite", "saturated", "first at update"});
  std::size_t bad = 0;
  for (const auto &tensor : tensors) {
    if (tensor.isHealthy())
      continue;
    ++bad;
    table += row({"`" + tensor.tag + "`", text::countText(tensor.samples),
                  text::countText(tensor.nan), text::countText(tensor.infinite),
                  text::countText(tensor.saturated),
                  std::to_string(tensor.firstBad->value())});
  }
  const std::string watched = text::countText(tensors.size()) +
                              (tensors.size() == 1 ? " tensor was watched: "
                                                   : " tensors were watched: ");
  if (bad == 0)
    return watched + "no element was NaN, infinite or saturated.\n";
  return watched + text::countText(bad) +
         " had elements that were NaN, infinite or saturated (the largest "
         "number of the format).\n\n" +
         table;
}

// How the tensors with histograms fare in half, and where in the formats of 8
// bits they would fare best.
std::string formatText(const std::vector<outfeed::HealthCount::Row> &tensors) {
  const outfeed::NumberFormat &half = outfeed::kNumberFormats[0];
  std::vector<TensorMagnitudes> known;
  for (const auto &tensor : tensors)
    if (!tensor.magnitudes.empty())
      known.push_back(
          {tensor.tag, tensor.magnitudes, tensor.infinite, tensor.nan});
  if (known.empty())
    return "";
  std::vector<std::string> titles = formatHeadings();
  for (const outfeed::NumberFormat &format : outfeed::kNumberFormats)
    if (format.name != half.name)
      titles.push_back("best scale of " + std::string(format.name));
  std::string table = heading(titles);
  for (const TensorMagnitudes &tensor : known) {
    std::vector<std::string> cells = formatCells(tensor, half, 0);
    cells[0] = "`" + cells[0] + "`";
    for (const outfeed::NumberFormat &format : outfeed::kNumberFormats)
      if (format.name != half.name)
        cells.push_back(
            tensor.infinite != 0
                ? "-"
                : "2^" + std::to_string(bestScale(tensor.magnitudes, format)));
    table += row(cells);
  }
  const std::string advice = lossScaleAdvice(known, half);
  return "\nIn half, which " + describe(half, 0).substr(half.name.size() + 1) +
         "; headroom is in octaves:\n\n" + table +
         (advice.empty() ? "" : "\n" + advice + "\n");
}

std::string recordText(const HealthRecord &record) {
  std::string text;
  if (!record.isWatched)
    text = "It is not known whether all tensors were finite: none was "
           "watched.\n";
  else if (!record.verdict)
    text = "All elements of " + text::countText(record.tensors) +
           " tensors were finite at every update.\n";
  if (!text.empty() && !record.interventions.empty())
    text += "\n";
  for (const std::string &line : linesOf(record))
    text += "- " + line + "\n";
  return text;
}

} // namespace

std::string describeRun(const RunDescription &run) {
  std::string command;
  for (const std::string &word : run.commandLine)
    command += (command.empty() ? "" : " ") + text::shellWord(word);
  return "```\n" + text::oneLine(command) + "\n```\n\n" +
         item("training", trainingText(run.plan)) +
         item("data", dataText(run)) + item("device", run.device) +
         item("versions", std::string("PopScope ") + POPSCOPE_VERSION +
                              ", Poplar " +
                              std::string(poplar::versionString())) +
         "\nModel `" + run.plan.spec.model.name + "`:\n\n" +
         layerTable(run.plan);
}

std::string describeHealth(const RunHealth &health) {
  constexpr const char *kEndings[] = {"was completed", "was interrupted",
                                      "failed"};
  return std::string("The training **") + kEndings[unsigned(health.ending)] +
         "** " + health.place + "." +
         (health.loss ? " The training loss of the last epoch is " +
                            text::fourDecimals(*health.loss) + "."
                      : "") +
         "\n\n" + recordText(health.record) +
         (health.tensors ? "\n" + tensorsText(*health.tensors) +
                               formatText(*health.tensors)
                         : "");
}

} // namespace popscope::host
