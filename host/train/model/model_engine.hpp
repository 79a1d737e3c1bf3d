// A model on a device: trains, predicts, and gives access to its state.
#pragma once

#include "graph/training_graph.hpp"
#include "host/callbacks/callback.hpp"
#include "host/data/dataset.hpp"
#include "host/executable/executable_cache.hpp"
#include "host/graph_page/cost_estimates.hpp"
#include "host/metrics/predictions.hpp"
#include "host/train/model/training_observer.hpp"
#include "outfeed/instances.hpp"

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

// The bytes of a state tensor: those of the first replica, then of the next.
struct SavedTensor {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

class ModelEngine {
public:
  // Builds and loads the programs, and sets the first weights and the dropout
  // from the seed. The device is attached and has IPUs for the replicas of this
  // instance. What is said to be of all instances is called by all of them.
  // Throws std::invalid_argument for a model that cannot be built. With a
  // cache, the programs are compiled only if it does not have them.
  ModelEngine(const poplar::Device &device, const graph::TrainingSpec &spec,
              outfeed::Instances &instances, std::uint64_t seed,
              TrainingObserver *observer = nullptr,
              const ExecutableCache *cache = nullptr);
  ModelEngine(const ModelEngine &) = delete;
  ModelEngine &operator=(const ModelEngine &) = delete;

  // For connecting the streams of training.
  poplar::Engine &engine() { return engine_; }
  const graph::TrainingSpec &spec() const { return spec_; }
  outfeed::Instances &instances() const { return instances_; }
  unsigned replicas() const { return instances_.slice().replicas; } // of all
  unsigned classes() const { return classes_; }
  const CacheUse &cacheUse() const { return cacheUse_; }
  const std::vector<graph::StateTensor> &state() const {
    return programs_.state;
  }

  // Of one execution of the training program, as far as the engine has them.
  std::optional<CostEstimates> estimatedCosts() {
    return estimateCosts(engine_, graph_.getTarget());
  }

  // One execution of all instances: spec().updatesPerRun updates.
  void train();
  void setLearningRate(float rate);
  // By all instances, for the first one; the others get nothing. With logits if
  // spec().outputsLogits.
  Predictions predict(const Dataset &set);
  // Of the first replica; all replicas have the same.
  std::vector<WeightValues> weights();

  // Of all instances, for the first one.
  std::vector<SavedTensor> save();
  // Throws std::invalid_argument unless names and sizes match this model.
  void restore(const std::vector<SavedTensor> &tensors);

private:
  // What predict() exchanges with one replica in an execution.
  struct PredictBatch {
    std::vector<float> images, probabilities;
    std::vector<float> logits; // empty unless spec().outputsLogits
  };

  std::size_t localReplicas() const {
    return instances_.slice().localReplicas();
  }
  std::size_t bytesOfReplica(const graph::StateTensor &tensor) const;
  void run(graph::ProgramId program);
  template <class T>
  void writeToAll(const std::string &name, const std::vector<T> &values);
  void initialise(std::uint64_t seed);
  void connectPredict();

  const graph::TrainingSpec spec_;
  outfeed::Instances &instances_;
  const unsigned classes_;
  std::vector<PredictBatch> predictBatches_; // by replica of this instance
  poplar::Graph graph_;
  const graph::TrainingGraph programs_;
  CacheUse cacheUse_;
  poplar::Engine engine_;
};

// Compiles the model for a target, which needs no device, and stores it. Throws
// as ModelEngine does.
CacheUse compileModel(const poplar::Target &target,
                      const graph::TrainingSpec &spec,
                      const outfeed::ReplicaSlice &slice,
                      TrainingObserver *observer, const ExecutableCache &cache);

} // namespace popscope::host
