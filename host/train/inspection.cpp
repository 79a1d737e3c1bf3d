#include "host/train/inspection.hpp"

#include "host/command.hpp"
#include "outfeed/sinks/event_sink.hpp"
#include "outfeed/sinks/json_lines.hpp"
#include "outfeed/sinks/npy_dump.hpp"
#include "outfeed/sinks/watch_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <unistd.h>
#include <utility>

namespace popscope::host {

namespace {

using graph::TensorKind;

bool isTutorial(const TrainOptions &options) { return options.preset == "mlp"; }

// As a filter of the tutorial is: `none` or any of these parts of the name.
std::string namesWith(const std::vector<std::string> &filters) {
  if (std::find(filters.begin(), filters.end(), "none") != filters.end())
    return "";
  std::string either;
  for (const std::string &filter : filters)
    either += (either.empty() ? "\"" : " | \"") + filter + "\"";
  return either.empty() ? "" : " & (" + either + ")";
}

// The tutorial's model without pipeline and of type Model has one outfeed,
// which takes no filter.
bool hasSingleOutfeed(const TrainOptions &options) {
  return options.modelType == ModelType::functional && options.noPipelining;
}

// A rule, and what it is called if it finds nothing.
struct TitledRule {
  std::string title;
  std::string text;
};

std::string titleOf(const char *option,
                    const std::vector<std::string> &filters) {
  std::string title = option;
  for (const std::string &filter : filters)
    title += " " + filter;
  return title;
}

std::vector<TitledRule> tutorialRules(const TrainOptions &options) {
  const char *const moment =
      options.outfeedPreAccumulatedGradients ? "microBatch" : "accumulated";
  std::vector<TitledRule> rules;
  rules.push_back({titleOf("--gradients-filters", options.gradientsFilters),
                   std::string("kind:gradient & at:") + moment +
                       namesWith(options.gradientsFilters)});
  rules.push_back({titleOf("--activations-filters", options.activationsFilters),
                   hasSingleOutfeed(options)
                       ? "name:Dense_128_acts"
                       : "(name:Dense_128_acts | name:Dense_10_acts)" +
                             namesWith(options.activationsFilters)});
  return rules;
}

std::vector<outfeed::EpochTable::Queue> queuesOf(const TrainOptions &options) {
  const auto ofKinds = [](std::vector<TensorKind> kinds) {
    return [kinds](const outfeed::TensorTraits &tensor) {
      return std::find(kinds.begin(), kinds.end(), tensor.kind) != kinds.end();
    };
  };
  if (isTutorial(options))
    return {{"Gradients callback", ofKinds({TensorKind::gradient})},
            {hasSingleOutfeed(options) ? "Single layer activations callback"
                                       : "Multi-layer activations callback",
             ofKinds({TensorKind::activation})}};
  return {
      {"Tapped tensors", ofKinds({TensorKind::input, TensorKind::activation,
                                  TensorKind::loss, TensorKind::gradient,
                                  TensorKind::weight, TensorKind::update})}};
}

} // namespace

std::vector<outfeed::TapRule> inspectionRules(const TrainOptions &options) {
  std::vector<TitledRule> texts;
  if (isTutorial(options))
    texts = tutorialRules(options);
  unsigned number = 0;
  for (const std::string &rule : options.inspection.rules)
    texts.push_back({"rule " + std::to_string(++number), rule});
  std::vector<outfeed::TapRule> rules;
  for (const auto &[title, text] : texts) {
    try {
      rules.push_back(outfeed::parseTapRule(text));
      rules.back().title = title;
    } catch (const std::invalid_argument &error) {
      throw BadInput("--tap '" + text + "': " + error.what());
    }
  }
  return rules;
}

outfeed::TapOptions tapOptions(const TrainOptions &options,
                               const TrainingPlan &plan) {
  outfeed::TapOptions taps;
  taps.microBatchesPerStep = plan.spec.accumulation;
  taps.replicas = plan.replicas;
  if (options.inspection.keepApart)
    taps.fold = outfeed::Fold::apart;
  if (options.inspection.dropFrames)
    taps.fullQueue = outfeed::FullQueue::drop;
  return taps;
}

Inspection::Inspection(const TrainOptions &options, const TrainingPlan &plan,
                       const std::string &runDirectory, RunReport &report,
                       std::ostream &out)
    : report_(report),
      session_(inspectionRules(options), tapOptions(options, plan)),
      updates_(std::uint32_t(std::uint64_t(plan.epochs) * plan.stepsPerEpoch /
                             plan.spec.accumulation)) {
  session_.addSink(
      std::make_unique<outfeed::EventSink>(runDirectory, report.ofUpdates()));
  session_.addSink(std::make_unique<outfeed::NpyDump>(
      runDirectory + "/dump",
      outfeed::NpyDump::TransfersPerStep{
          std::uint64_t(plan.spec.accumulation) * plan.replicas, plan.replicas},
      report.ofUpdates()));
  if (!options.inspection.json.empty())
    session_.addSink(std::make_unique<outfeed::JsonLines>(
        options.inspection.json, report.ofUpdates()));
  if (options.inspection.watch)
    session_.addSink(std::make_unique<outfeed::WatchTable>(
        out, isatty(STDOUT_FILENO) && !options.inspection.jsonToStdout()
                 ? outfeed::WatchStyle::live
                 : outfeed::WatchStyle::plain));
  if (options.quiet || options.inspection.watch)
    return;
  auto table = std::make_unique<outfeed::EpochTable>(queuesOf(options));
  epochTable_ = table.get();
  if (!isTutorial(options))
    firstTable_ = plan.epochs - 1;
  session_.addSink(std::move(table));
}

void Inspection::connect(poplar::Engine &engine) {
  try {
    session_.connect(engine);
  } catch (const std::invalid_argument &error) {
    throw BadInput(error.what());
  }
}

std::vector<std::string> Inspection::neverDue() const {
  return session_.plan().neverDue(updates_);
}

void Inspection::resumeAt(
    poplar::Engine &engine, std::uint32_t step,
    const std::vector<outfeed::EpochTable::SavedRow> &table) {
  session_.resumeAt(engine, step);
  if (epochTable_)
    epochTable_->restore(session_.plan().taps(), table);
}

std::vector<outfeed::EpochTable::SavedRow> Inspection::epochSoFar() {
  session_.sync();
  return epochTable_ ? epochTable_->save()
                     : std::vector<outfeed::EpochTable::SavedRow>();
}

void Inspection::epochEnd(unsigned epoch, std::ostream &out) {
  session_.sync();
  reportError(session_.report().error);
  if (epochTable_ && epoch >= firstTable_)
    epochTable_->print(out, epoch + 1);
  else if (epochTable_)
    epochTable_->clear();
}

void Inspection::finish() {
  const outfeed::TapReport taps = session_.close();
  if (taps.dropped != 0)
    report_.note("inspection dropped " + std::to_string(taps.dropped) + " of " +
                 std::to_string(taps.frames) + " frames");
  for (const summary::WriteReport &loss : taps.losses)
    report_.update(loss, StepsAre::updates);
  reportError(taps.error);
}

void Inspection::reportError(const std::string &error) {
  summary::WriteReport report;
  report.what = "inspection";
  report.error = error;
  report_.update(report, StepsAre::updates);
}

} // namespace popscope::host
