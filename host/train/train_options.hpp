// What the command line of `popscope train` says, typed.
#pragma once

#include "graph/training_graph.hpp"
#include "host/run/run_report.hpp"
#include "host/train/device.hpp"
#include "host/train/inspection_options.hpp"
#include "host/train/learning_rate_schedule.hpp"

#include <CLI/App.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

enum class OptimizerName { sgd, rmsProp, adam };
enum class Precision { float32, half };
enum class ModelType { sequential, functional };

// What is not given is left to the preset.
struct TrainOptions {
  std::string preset = "cnn";

  std::optional<unsigned> epochs;
  std::optional<std::size_t> stepsPerEpoch;
  std::optional<unsigned> stepsPerExecution;
  std::optional<std::size_t> batchSize;
  std::optional<LearningRateSchedule> learningRates;
  std::optional<OptimizerName> optimizer;
  std::optional<unsigned> accumulation;
  graph::AccumulationMethod accumulationMethod = graph::AccumulationMethod::sum;
  std::string pipelineStages; // a number, or layers that begin a stage
  unsigned replicas = 1;
  Precision precision = Precision::float32;
  std::uint64_t seed = 1;

  DeviceChoice device = DeviceChoice::automatic;
  std::optional<unsigned> tiles;

  std::string data;
  std::string logdir = "logs";
  std::string run; // a name with a time stamp if empty
  bool resume = false;
  bool clean = false;
  bool quiet = false;
  bool noInspection = false;
  bool force = false; // overwrites the file of --inspect-json
  OnSummaryError onSummaryError = OnSummaryError::goOn;

  // Of preset mlp; the last of them that was given, by name.
  std::string mlpOption;
  ModelType modelType = ModelType::sequential;
  bool noPipelining = false;
  bool useGradientAccumulation = false;
  // What is inspected, and how.
  bool outfeedPreAccumulatedGradients = false;
  std::vector<std::string> gradientsFilters{"Dense_128"};
  std::vector<std::string> activationsFilters{"none"};
  InspectionOptions inspection;
};

// Fills `options`, which outlives the parsing.
void addTrainOptions(CLI::App &command, TrainOptions &options);

} // namespace popscope::host
