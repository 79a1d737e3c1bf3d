// The programs that train and run a model, and how the host reaches them.
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
  std::size_t batchSize = 32; // images of a micro-batch, on each replica
  unsigned accumulation = 1;  // micro-batches of a weight update
  AccumulationMethod accumulationMethod = AccumulationMethod::sum;
  bool pipelined = false; // stages on IPUs of their own, else all on one
  poplar::Type precision = poplar::FLOAT; // of activations; HALF keeps FLOAT
                                          // master weights
  float lossScale = 1.0f;     // of the gradients of a micro-batch; they lose it
                              // when they are accumulated
  unsigned updatesPerRun = 1; // weight updates of one run of Program train
};

// A tensor that outlives a run: a weight, what an optimiser remembers, a seed.
// Its name is its host read and write handle, Engine::readTensor(name). The
// host writes the trainable ones before the first run
// (graph/layers/initializers.hpp); the others start with a value of their own.
// A dropout layer's seed counts micro-batches in its first word and leaves the
// second to the host.
struct StateTensor {
  std::string name;
  std::vector<std::size_t> shape; // Keras' order: kernels [h, w, in, out],
                                  // [in, out]
  poplar::Type type;
  bool trainable = false;
};

// The programs of an engine, in the order in which they are given to it.
enum class ProgramId : unsigned { train, predict };

// The host feeds and drains these streams, one micro-batch at a time and, with
// replicas, each its own.
namespace streams {
constexpr char kTrainImages[] = "train/images"; // float [batch, input...]
constexpr char kTrainLabels[] = "train/labels"; // unsigned [batch]
constexpr char kTrainLosses[] = "train/losses"; // float [batch]
constexpr char kTrainProbabilities[] =
    "train/probabilities"; // [batch, classes]
constexpr char kPredictImages[] = "predict/images";
constexpr char kPredictProbabilities[] = "predict/probabilities";
} // namespace streams

struct TrainingGraph {
  std::vector<poplar::program::Program> programs; // by ProgramId
  std::vector<StateTensor>
      state; // everything a checkpoint holds, the trainable
             // ones first and in the order of the layers
};

// State with this name holds the learning rate, one float; the host may write
// it between runs.
constexpr char kLearningRate[] = "learning_rate";

// Throws std::invalid_argument, naming the layer, for a spec that cannot be
// built. A tap observer is told of every tensor worth watching.
TrainingGraph buildTrainingGraph(poplar::Graph &graph, const TrainingSpec &spec,
                                 TapObserver *taps = nullptr);

} // namespace popscope::graph
