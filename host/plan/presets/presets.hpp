// The trainings that have a name.
#pragma once

#include "graph/model_spec.hpp"
#include "graph/optimizers/optimizer_spec.hpp"
#include "graph/taps/tap_point.hpp"
#include "host/callbacks/callback.hpp"
#include "host/metrics/metrics.hpp"
#include "host/plan/options/learning_rate_schedule.hpp"
#include "host/plan/options/tutorial_options.hpp"
#include "outfeed/sinks/epoch_table.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

enum class DataFormat { idx, digits };
enum class ValidationSet { none, split, test };

// Pictures and curves besides those that every training has; absent: not made.
struct PresetCallbacks {
  std::optional<Stagger> evaluate;
  std::optional<Stagger> filters; // of every convolution
  bool learningRate = false;      // also one that never changes
  std::optional<Stagger> confusionMatrix;
  std::optional<Stagger> testCurves; // the accuracy; the loss is every epoch
  std::optional<Stagger> testSheet;
  Stagger histograms; // of the weights
};

// A rule of a preset, and what messages call it instead of "rule 1". One with
// filters may match no tensor: its table then says so, as that of the tutorial
// does.
struct PresetTap {
  std::string title;
  std::string rule;
  // The part of the rule that the user's filters choose from, and the filters;
  // a rule of a model file has none, and must match.
  std::string among;
  std::vector<std::string> filters;
};

// A printed table of the tapped tensors of these kinds; none means all kinds.
struct PresetTable {
  std::string title;
  std::vector<graph::TensorKind> kinds;
};

enum class TablesPrinted { afterLastEpoch, afterEveryEpoch };

// What a preset taps without being asked, and how tapped tensors are printed.
struct PresetInspection {
  std::vector<PresetTap> taps;
  std::vector<PresetTable> tables{{"Tapped tensors", {}}};
  TablesPrinted tablesPrinted = TablesPrinted::afterLastEpoch;
  outfeed::TableForm tableForm = outfeed::TableForm::fitted;
};

// A training with a name, or one of a model file.
struct Preset {
  std::string name;
  std::string title;       // in messages: "--preset cnn", "--model my.json"
  std::string description; // in a few words
  graph::ModelSpec model;
  graph::OptimizerSpec optimizer;
  LearningRateSchedule schedule{0.0f};
  std::string dataName; // of a set that comes with PopScope, or a path
  DataFormat format = DataFormat::idx;
  std::vector<std::string> classNames;

  std::optional<std::size_t> batchSize;       // absent: the whole set
  std::optional<std::size_t> batchesPerEpoch; // batches; absent: one pass
  // As many of them as go with the other numbers; absent: those of one update.
  std::optional<unsigned> batchesPerExecution;
  unsigned epochs = 1;
  unsigned accumulation = 1;
  bool pipelined = false;

  MetricChoice metrics;
  ValidationSet validation = ValidationSet::none;
  unsigned validationEvery = 1; // epochs; 0: never
  PresetCallbacks callbacks;
  PresetInspection inspection;
  // The model file on one line; empty for a preset.
  std::string source;

  bool isOfFile() const { return !source.empty(); }
};

std::vector<std::string> presetNames();

// Throws BadInput for an unknown name, and for an option of the tutorial that
// the preset does not take.
Preset presetNamed(const std::string &name,
                   const TutorialOptions &tutorial = {});

} // namespace popscope::host
