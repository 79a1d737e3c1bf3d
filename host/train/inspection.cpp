#include "host/train/inspection.hpp"

#include "host/command.hpp"
#include "outfeed/sinks/event_sink.hpp"
#include "outfeed/sinks/json_lines.hpp"
#include "outfeed/sinks/npy_dump.hpp"

#include <algorithm>
#include <iostream>
#include <stdexcept>
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

std::unique_ptr<outfeed::JsonLines> jsonLinesIn(const std::string &path) {
  try {
    return std::make_unique<outfeed::JsonLines>(path);
  } catch (const std::invalid_argument &error) {
    throw BadInput(error.what());
  }
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
      throw BadInput(title + ": " + error.what());
    }
  }
  return rules;
}

outfeed::TapOptions tapOptions(const TrainOptions &options,
                               const TrainingPlan &plan) {
  outfeed::TapOptions taps;
  taps.microBatchesPerUpdate = plan.spec.accumulation;
  taps.replicas = plan.replicas;
  if (options.inspection.keepApart)
    taps.fold = outfeed::Fold::apart;
  if (options.inspection.dropFrames)
    taps.fullQueue = outfeed::FullQueue::drop;
  return taps;
}

Inspection::Inspection(const TrainOptions &options, const TrainingPlan &plan,
                       const std::string &runDirectory)
    : session_(inspectionRules(options), tapOptions(options, plan)),
      updates_(std::uint32_t(std::uint64_t(plan.epochs) * plan.stepsPerEpoch /
                             plan.spec.accumulation)) {
  session_.addSink(std::make_unique<outfeed::EventSink>(runDirectory));
  session_.addSink(std::make_unique<outfeed::NpyDump>(runDirectory + "/dump"));
  const bool jsonToStdout = options.inspection.jsonToStdout();
  if (jsonToStdout)
    session_.addSink(std::make_unique<outfeed::JsonLines>(std::cout));
  else if (!options.inspection.json.empty())
    session_.addSink(jsonLinesIn(options.inspection.json));
  if (options.inspection.watch) {
    auto table = std::make_unique<outfeed::WatchTable>();
    watchTable_ = table.get();
    session_.addSink(std::move(table));
    return; // one table is enough
  }
  if (options.quiet)
    return;
  auto table = std::make_unique<outfeed::EpochTable>(
      queuesOf(options), isTutorial(options)
                             ? outfeed::TableNumbers::sixDecimals
                             : outfeed::TableNumbers::sixDigits);
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
    poplar::Engine &engine, outfeed::Update update,
    const std::vector<outfeed::EpochTable::SavedRow> &table) {
  session_.resumeAt(engine, update);
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
  if (epochTable_ && epoch >= firstTable_)
    epochTable_->print(out, epoch + 1);
  else if (epochTable_)
    epochTable_->clear();
}

std::vector<std::string> Inspection::watchLines(text::TerminalSize size) const {
  if (!watchTable_)
    return {};
  constexpr std::size_t kOtherRows = 2; // the bar, and one to see what is above
  size.rows -= std::min(size.rows, kOtherRows);
  // The last column stays free: a line that wraps could not be wiped.
  size.columns -= std::min<std::size_t>(size.columns, 1);
  return watchTable_->lines(size);
}

std::vector<std::string> Inspection::finish(std::ostream &out,
                                            std::size_t columns) {
  const outfeed::TapReport report = session_.close();
  if (watchTable_)
    watchTable_->print(out, columns);
  std::vector<std::string> lines;
  if (report.dropped != 0)
    lines.push_back("inspection dropped " + std::to_string(report.dropped) +
                    " of " + std::to_string(report.frames) + " frames");
  if (report.late != 0)
    lines.push_back("inspection left out " + std::to_string(report.late) +
                    " samples of replicas that were too far behind");
  if (!report.error.empty())
    lines.push_back("inspection stopped: " + report.error);
  for (const summary::WriteReport &loss : report.losses)
    lines.push_back("inspection stopped: " + loss.error);
  return lines;
}

} // namespace popscope::host
