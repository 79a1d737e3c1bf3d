// The five trainings that can be had by name.
#pragma once

#include "graph/model_spec.hpp"
#include "graph/optimizers/optimizer_spec.hpp"
#include "host/callbacks/callback.hpp"
#include "host/metrics/metrics.hpp"
#include "host/train/learning_rate_schedule.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

enum class DataFormat { idx, digits };
enum class ValidationSet { none, split, test };

// Pictures and curves besides those of TensorBoard; absent: not made.
struct PresetCallbacks {
  std::optional<Stagger> evaluate;
  std::optional<Stagger> filters; // of every convolution
  std::optional<Stagger> confusionMatrix;
  std::optional<Stagger> testCurves; // its accuracy; the loss is every epoch
  std::optional<Stagger> testSheet;
  Stagger histograms; // of the weights
};

struct Preset {
  graph::ModelSpec model;
  graph::OptimizerSpec optimizer;
  LearningRateSchedule schedule{0.0f};
  std::string dataName; // of the bundled set
  DataFormat format = DataFormat::idx;
  std::vector<std::string> classNames;

  std::optional<std::size_t> batchSize;     // absent: the whole set
  std::optional<std::size_t> stepsPerEpoch; // absent: one pass
  unsigned epochs = 1;
  unsigned accumulation = 1;
  bool pipelined = false;

  MetricChoice metrics;
  ValidationSet validation = ValidationSet::none;
  unsigned validationEvery = 1; // epochs
  PresetCallbacks callbacks;
};

// Throws BadInput for an unknown name.
Preset presetNamed(const std::string &name);

} // namespace popscope::host
