#include "host/commands/taps_command.hpp"

#include "graph/codelets.hpp"
#include "host/commands/train_options_parser.hpp"
#include "host/terminal/typed_options.hpp"
#include "host/train/device.hpp"
#include "host/train/inspection.hpp"
#include "host/train/training_plan.hpp"
#include "text/number_text.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace popscope::host {

namespace {

std::string shapeText(const std::vector<std::size_t> &shape) {
  std::string text;
  for (const std::size_t dimension : shape)
    text += (text.empty() ? "" : "x") + std::to_string(dimension);
  return text.empty() ? "1" : text;
}

// Bytes of an average step: a step has several micro-batches, and not every
// step need be due.
double bytesPerStep(const outfeed::Tap &tap, std::size_t bytes,
                    const TrainingPlan &training) {
  const bool perBatch = tap.tensor.moment == graph::TapMoment::microBatch;
  const double perDueStep = double(bytes) * training.replicas *
                            (perBatch ? training.spec.accumulation : 1);
  return tap.schedule.every == 0 ? 0.0 : perDueStep / tap.schedule.every;
}

void printPlan(const outfeed::TapSession &session, const TrainingPlan &training,
               std::ostream &out) {
  const outfeed::TapPlan &plan = session.plan();
  text::Table table({"tensor", "kind", "at", "stage", "type", "shape",
                     "schedule", "payload", "bytes/step", "tile bytes",
                     "cycles"});
  double fullBytes = 0;
  for (const outfeed::Tap &tap : plan.taps()) {
    const outfeed::TensorTraits &tensor = tap.tensor;
    fullBytes += bytesPerStep(tap, tensor.bytes(), training);
    table.add({tensor.name, outfeed::nameOf(tensor.kind),
               outfeed::nameOf(tensor.moment), std::to_string(tensor.stage),
               tensor.dtype, shapeText(tensor.shape), tap.schedule.text(),
               outfeed::nameOf(tap.payload),
               text::withThousands(bytesPerStep(tap, tap.bytes, training)),
               text::withThousands(double(tap.tileBytes)),
               text::withThousands(double(tap.cycles))});
  }
  const text::Layout layout = text::layoutOfStdout();
  table.print(out, layout, text::sizeOfTerminal().columns);
  if (layout == text::Layout::plain)
    return;
  out << "\n"
      << plan.taps().size() << " of " << plan.tensors().size()
      << " tensors tapped; " << text::withThousands(session.bytesPerUpdate())
      << " bytes to the host per step, where the tensors themselves would be "
      << text::withThousands(fullBytes) << "\n"
      << "tile bytes and cycles are estimates, of the tile and the worker that "
         "have most to do; they were not measured on a device\n";
}

int listTaps(TrainOptions options, std::ostream &out) {
  const Preset preset = choosePreset(options);
  const TrainingPlan training =
      planTraining(preset, options, readData(preset, options));
  if (options.inspection.rules.empty() && preset.inspection.taps.empty())
    options.inspection.rules.push_back("*");
  outfeed::TapSession session(inspectionRules(preset, options),
                              tapOptions(options, training));

  const poplar::Device device =
      openDevice(DeviceChoice::model, {training.ipus(), options.tiles});
  poplar::Graph graph(device.getTarget(),
                      poplar::replication_factor(training.replicas));
  graph::addCodelets(graph);
  try {
    graph::buildTrainingGraph(graph, training.spec, &session);
    session.plan().requireMatches();
  } catch (const std::invalid_argument &error) {
    throw BadInput(error.what());
  }
  printPlan(session, training, out);
  return exitOk;
}

} // namespace

void addTapsCommand(CLI::App &app, Command &chosen) {
  const auto options = std::make_shared<TrainOptions>();
  CLI::App *command = app.add_subcommand(
      "taps", "List what rules would tap of a training, and its cost");
  addWords(*command, "rules", options->inspection.rules, "RULE",
           "As those of popscope train --tap (default: every tensor; for "
           "preset mlp, those its own options choose)");
  addTrainOptions(*command, *options);
  for (const char *name :
       {"--epochs", "--steps-per-epoch", "--steps-per-execution",
        "--learning-rate", "--accumulation-method", "--seed", "--device",
        "--logdir", "--run", "--resume", "--clean", "--quiet",
        "--no-inspection", "--tap", "--watch", "--inspect-json", "--keep-apart",
        "--drop-frames"})
    command->get_option(name)->group("");
  command->footer("All options of popscope train are taken; those that are not "
                  "listed change\nnothing here.\n\n"
                  "Examples:\n"
                  "  popscope taps --preset cnn\n"
                  "  popscope taps --preset cnn 'kind:gradient & numel>4096 -> "
                  "shape'");
  command->callback([options, &chosen] {
    chosen = [options] { return listTaps(*options, std::cout); };
  });
}

} // namespace popscope::host
