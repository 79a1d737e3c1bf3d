// A training with every number settled: a preset, the options, and what the
// data allow.
#pragma once

#include "graph/training_graph.hpp"
#include "host/data/dataset.hpp"
#include "host/train/presets.hpp"
#include "host/train/train_options.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace popscope::host {

struct TrainingPlan {
  Preset preset; // its model and numbers replaced by the spec below
  graph::TrainingSpec spec;
  LearningRateSchedule schedule{0.0f};
  unsigned replicas = 1;
  unsigned epochs = 1;
  std::size_t stepsPerEpoch = 1; // batches, on each replica
  unsigned stepsPerExecution = 1;
  std::uint64_t seed = 1;
  std::uint32_t dataChecksum = 0; // of the training set

  unsigned ipus() const; // of all replicas
  std::size_t imagesPerStep() const { return spec.batchSize * replicas; }
  // All that decides the numbers of a training, one line per thing; equal
  // plans train equally, whatever the number of epochs.
  std::string describe() const;
};

// As --optimizer names it.
std::string optimizerName(const graph::OptimizerSpec &optimizer);

// The data set the options name, or the bundled one.
std::string dataDirectory(const Preset &preset, const TrainOptions &options);

// Reads it. Throws BadInput.
TrainingData readData(const Preset &preset, const TrainOptions &options);

// The preset the options name, with the model they ask for. Throws BadInput.
Preset choosePreset(const TrainOptions &options);

// Throws BadInput for numbers that do not go together.
TrainingPlan planTraining(const Preset &preset, const TrainOptions &options,
                          const TrainingData &data);

} // namespace popscope::host
