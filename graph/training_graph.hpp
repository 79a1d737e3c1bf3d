// The programs that train a model and predict with it, and their streams.
#pragma once

#include "graph/model_spec.hpp"
#include "graph/optimizers/optimizer_spec.hpp"
#include "graph/taps/tap_point.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace popscope::graph {

enum class AccumulationMethod { sum, mean, runningMean };

struct TrainingSpec {
  ModelSpec model;
  OptimizerSpec optimizer;
  std::size_t batchSize = 32;       // images of a micro-batch, on each replica
  std::size_t predictBatchSize = 0; // of program predict, at most as many;
                                    // 0: as many
  unsigned accumulation = 1;        // micro-batches of an update
  AccumulationMethod accumulationMethod = AccumulationMethod::sum;
  bool pipelined = false; // one IPU for each stage, else one for all
  poplar::Type precision = poplar::FLOAT; // of activations; HALF keeps FLOAT
                                          // master weights
  float lossScale = 1.0f;     // multiplies the gradients of a micro-batch, and
                              // is divided out when they are accumulated
  unsigned updatesPerRun = 1; // updates of one execution of program train
  bool outputsLogits = false; // program predict also outputs what the softmax
                              // is taken of

  std::size_t predictImages() const {
    return predictBatchSize == 0 ? batchSize : predictBatchSize;
  }
};

// A tensor that keeps its value between executions: a weight, the state of an
// optimiser, a seed. Its name is its host read and write handle, as in
// Engine::readTensor(name). The host writes the trainable ones before the first
// execution (graph/layers/initializers.hpp); the program sets the others. The
// first word of a dropout layer's seed counts micro-batches; the host may write
// both words before the first execution.
struct StateTensor {
  std::string name;
  std::vector<std::size_t> shape; // Keras' order: kernels [h, w, in, out],
                                  // [in, out]
  poplar::Type type;
  bool trainable = false;
};

// The programs of an engine, in the order in which they are given to it.
enum class ProgramId : unsigned { train, predict };

// The name of program train in profiles.
constexpr char kTrainProgram[] = "train";

// The host feeds and drains these streams, one micro-batch at a time. Each
// replica has its own.
namespace streams {
constexpr char kTrainImages[] = "train/images"; // float [batch, input...]
constexpr char kTrainLabels[] = "train/labels"; // unsigned [batch]
constexpr char kTrainLosses[] = "train/losses"; // float [batch]
constexpr char kTrainProbabilities[] =
    "train/probabilities"; // [batch, classes]
// Of predictImages() images.
constexpr char kPredictImages[] = "predict/images";
constexpr char kPredictProbabilities[] = "predict/probabilities";
// Float [batch, classes]; exists if TrainingSpec::outputsLogits.
constexpr char kPredictLogits[] = "predict/logits";
} // namespace streams

struct TrainingGraph {
  std::vector<poplar::program::Program> programs; // by ProgramId
  std::vector<StateTensor>
      state; // everything a checkpoint holds, the trainable
             // ones first and in the order of the layers
};

// The name of the state that holds the learning rate, one float; the host may
// write it between executions.
constexpr char kLearningRate[] = "learning_rate";

// Throws std::invalid_argument, naming the layer, for a spec that cannot be
// built. Calls `taps`, if given, for every tensor that can be watched.
TrainingGraph buildTrainingGraph(poplar::Graph &graph, const TrainingSpec &spec,
                                 TapObserver *taps = nullptr);

} // namespace popscope::graph
