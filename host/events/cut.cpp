#include "host/command.hpp"
#include "host/events/reading/file_walk.hpp"
#include "host/events/reading/run_index.hpp"
#include "host/events/reading/step_range.hpp"
#include "host/events/subcommands.hpp"
#include "host/events/writing/new_event_file.hpp"
#include "summary/proto/event.pb.h"
#include "text/quoting.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>

namespace popscope::host::events {

namespace {

namespace proto = summary::proto;
using summary::EventKind;
using summary::EventView;

struct CutOptions {
  LogSelection log;
  StepRange steps;
  OutputOptions output;
  bool json = false;
};

// Such values describe the whole run, not a step.
bool isForRun(const std::string &kind) {
  return kind == "hparams" || kind == "custom_scalars";
}

// Copies the chosen part of a run.
class Cutter {
public:
  Cutter(const CutOptions &options, NewEventFile &output)
      : options_(options), output_(output) {}

  void copy(const EventView &event, std::string_view payload) {
    if (event.kind == EventKind::summary)
      copySummary(event, payload);
    else if (keepsWhole(event))
      output_.append(payload);
  }
  std::uint64_t values() const { return values_; }
  // Throws BadInput if nothing is of the tags or of the steps that were named.
  void requireMatches() const {
    KnownTags known(options_.log);
    known.add(index_);
    known.requireMatches();
    if (values_ == 0 && first_ <= last_)
      throw BadInput(options_.log.where() +
                     ": no value of those steps; the log has steps " +
                     std::to_string(first_) + " to " + std::to_string(last_));
  }

private:
  bool keepsWhole(const EventView &event) const {
    if (event.kind == EventKind::fileVersion)
      return true;
    if (!options_.log.tags.empty())
      return false;
    return event.kind == EventKind::graphDef || options_.steps.has(event.step);
  }

  void copySummary(const EventView &event, std::string_view payload) {
    std::vector<const TagSeries *> kept; // null: left out
    bool needsChange = false;
    summary::ValueCursor values(event);
    while (const auto value = values.next()) {
      const TagSeries &series = index_.seriesOf(*value);
      const bool isNamed = options_.log.tags.match(series.tag);
      if (isNamed) {
        first_ = std::min(first_, event.step);
        last_ = std::max(last_, event.step);
      }
      const bool keep =
          isNamed && (options_.steps.has(event.step) || isForRun(series.kind));
      kept.push_back(keep ? &series : nullptr);
      needsChange = needsChange || !keep ||
                    (value->metadata.empty() && lacksMetadata(series));
    }
    if (values.failed())
      throw std::runtime_error("a summary inside a whole record cannot be "
                               "parsed, at step " +
                               std::to_string(event.step));
    const auto count = static_cast<std::uint64_t>(
        std::count_if(kept.begin(), kept.end(),
                      [](const TagSeries *series) { return series; }));
    if (count == 0)
      return;
    values_ += count;
    if (needsChange)
      output_.append(changed(payload, kept));
    else
      output_.append(payload);
    for (const TagSeries *series : kept)
      if (series != nullptr)
        described_.insert(series);
  }

  // Whether the tag has metadata that the output does not have yet.
  bool lacksMetadata(const TagSeries &series) const {
    return !series.metadata.empty() && described_.count(&series) == 0;
  }

  std::string changed(std::string_view payload,
                      const std::vector<const TagSeries *> &kept) const {
    proto::Event event;
    if (!event.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
      throw std::runtime_error("protobuf cannot parse an event");
    proto::Summary summary;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] == nullptr)
        continue;
      proto::Summary::Value &value = *summary.add_value();
      value = event.summary().value(static_cast<int>(i));
      if (!value.has_metadata() && lacksMetadata(*kept[i]))
        value.mutable_metadata()->ParseFromString(kept[i]->metadata);
    }
    *event.mutable_summary() = std::move(summary);
    return event.SerializeAsString();
  }

  const CutOptions &options_;
  NewEventFile &output_;
  RunIndex index_;
  std::set<const TagSeries *> described_; // tags that were written before
  std::uint64_t values_ = 0;
  // Steps of all values of the tags.
  std::int64_t first_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ = std::numeric_limits<std::int64_t>::min();
};

int cut(const CutOptions &options) {
  options.steps.expectNotEmpty();
  const LogRun run = options.log.findRun();
  FileWalk walk({run});
  NewEventFile output(options.output, run);
  Cutter cutter(options, output);
  bool allWhole = true;
  for (const auto &path : run.files) {
    const FileState file = walk.walk(
        path, [&](const EventView &event, const summary::EventReader &reader) {
          cutter.copy(event, reader.payload());
        });
    requireReadable(file);
    allWhole = reportUnlessWhole(file) && allWhole;
  }
  cutter.requireMatches();
  output.commit();
  if (options.json)
    std::cout << "{\"path\": " << text::jsonString(options.output.path.string())
              << ", \"values\": " << cutter.values()
              << ", \"records\": " << output.records() << "}\n";
  else
    std::cout << options.output.path.string() << ": " << cutter.values()
              << " values in " << output.records() << " records\n";
  return allWhole ? exitOk : exitFailed;
}

} // namespace

void addCutCommand(CLI::App &events, Command &chosen) {
  const auto options = std::make_shared<CutOptions>();
  CLI::App *command = events.add_subcommand(
      "cut", "Copy some steps and tags of a run to a new file");
  addLogSelection(*command, options->log, Paths::one, Chooses::runsAndTags);
  addStepRange(*command, options->steps);
  addOutput(*command, options->output, "The event file to write")->required();
  command->add_flag("--json", options->json, "What was written as JSON");
  command->footer(
      "Hyperparameters, layouts and (without --tag) the graph are kept\n"
      "whatever their step.\n"
      "Example:\n  popscope events cut logs/train --from-step 1000 "
      "--tag 'loss*' -o late.tfevents");
  command->callback(
      [options, &chosen] { chosen = [options] { return cut(*options); }; });
}

} // namespace popscope::host::events
