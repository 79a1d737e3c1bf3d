// A training with every number decided, from its preset, the user's options and
// the size of the data.
#pragma once

#include "graph/training_graph.hpp"
#include "host/data/dataset.hpp"
#include "host/plan/options/train_options.hpp"
#include "host/plan/presets/presets.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace popscope::host {

struct TrainingPlan {
  Preset preset; // where it differs, what follows holds
  graph::TrainingSpec spec;
  LearningRateSchedule schedule{0.0f};
  unsigned replicas = 1;
  unsigned epochs = 1;
  std::size_t batchesPerEpoch = 1;  // batches, on each replica
  unsigned batchesPerExecution = 1; // batches, on each replica
  std::uint64_t seed = 1;
  std::uint32_t dataChecksum = 0;  // of the training set
  std::size_t projectorImages = 0; // 0: no projector page

  unsigned ipus() const; // of all replicas
  std::size_t imagesPerBatch() const { return spec.batchSize * replicas; }
  // Everything that the trained weights depend on, except the number of epochs:
  // a line for each setting.
  std::string describe() const;
};

// The names that --optimizer and --accumulation-method know them by.
std::string optimizerName(const graph::OptimizerSpec &optimizer);
const char *accumulationName(graph::AccumulationMethod method);

// The data set that the options name, or the bundled one.
std::string dataDirectory(const Preset &preset, const TrainOptions &options);

// Reads it. Throws BadInput.
TrainingData readData(const Preset &preset, const TrainOptions &options);

// Of compiled programs: that of the option, or of PopRun's variable. Empty:
// they are not kept.
std::string executableCacheDirectory(const TrainOptions &options);

// The preset or the model file that the options ask for. Throws BadInput.
Preset choosePreset(const TrainOptions &options);

// Throws BadInput for numbers that do not fit together or are too large, naming
// an option that was given and a value that would work.
TrainingPlan planTraining(const Preset &preset, const TrainOptions &options,
                          const TrainingData &data);

} // namespace popscope::host
