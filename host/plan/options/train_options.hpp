// What a user can ask of a training.
#pragma once

#include "graph/training_graph.hpp"
#include "host/plan/options/device.hpp"
#include "host/plan/options/inspection_options.hpp"
#include "host/plan/options/learning_rate_schedule.hpp"
#include "host/plan/options/tutorial_options.hpp"
#include "host/run/run_report.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

enum class OptimizerName { sgd, rmsProp, adam };
enum class Precision { float32, half };

// Epochs from one time to the next; 0 is never.
struct PeriodOptions {
  std::optional<unsigned> evaluate;
  std::optional<unsigned> validate;
  std::optional<unsigned> filters;
  std::optional<unsigned> histograms;
};

// An option that is absent is left to the preset or the model file.
struct TrainOptions {
  std::optional<std::string> preset; // absent: cnn, or what `model` says
  std::string model;                 // a model file; empty: a preset
  // What the model file held when the run began; absent: it is read now.
  std::optional<std::string> modelContent;

  std::optional<unsigned> epochs;
  std::optional<std::size_t> batchesPerEpoch;  // batches
  std::optional<unsigned> batchesPerExecution; // batches
  PeriodOptions periods;
  std::optional<std::size_t> batchSize;
  std::optional<LearningRateSchedule> learningRates;
  std::optional<OptimizerName> optimizer;
  std::optional<unsigned> accumulation;
  std::optional<graph::AccumulationMethod> accumulationMethod; // else the sum
  std::optional<std::string>
      pipelineStages; // a number, or layers that begin a stage
  unsigned replicas = 1;
  Precision precision = Precision::float32;
  std::optional<float> lossScale; // with Precision::half
  std::uint64_t seed = 1;

  DeviceChoice device = DeviceChoice::automatic;
  std::optional<unsigned> tiles;
  std::string executableCache; // see executableCacheDirectory

  std::optional<std::string> data; // absent: the preset's bundled set
  std::string logdir = "logs";
  std::string run; // empty: named after the preset and the time
  std::optional<std::size_t> projectorImages; // absent: no projector page
  unsigned checkpointEvery = 10;              // seconds
  bool resume = false;
  std::string resumedRun; // a directory: options not given are those of the run
  std::vector<std::string> changes; // against the run's, in words
  bool clean = false;
  bool quiet = false;
  bool force = false; // overwrites the file of --inspect-json
  OnSummaryError onSummaryError = OnSummaryError::goOn;

  bool noInspection = false;
  InspectionOptions inspection;
  TutorialOptions tutorial;
};

} // namespace popscope::host
