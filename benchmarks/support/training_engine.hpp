// An engine that trains a network on the same batch again and again.
#pragma once

#include "graph/layers/initializers.hpp"
#include "graph/model_shapes.hpp"
#include "graph/training_graph.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace benchmarks {

class TrainingEngine {
public:
  // `prepare` is called with the graph before it is built, `connect` with the
  // engine before it is loaded.
  struct Watcher {
    std::function<void(poplar::Graph &)> prepare;
    popscope::graph::TapObserver *taps = nullptr;
    std::function<void(poplar::Engine &)> connect;
  };

  TrainingEngine(const popscope::graph::TrainingSpec &spec,
                 const Watcher &watcher) {
    namespace streams = popscope::graph::streams;
    poplar::IPUModel model;
    model.numIPUs =
        spec.pipelined ? popscope::graph::stageCount(spec.model) : 1;
    model.tilesPerIPU = 64;
    model.memoryBytesPerTile = 64u << 20;
    const poplar::Device device = model.createDevice();
    poplar::Graph graph(device.getTarget());
    if (watcher.prepare)
      watcher.prepare(graph);
    const popscope::graph::TrainingGraph training =
        popscope::graph::buildTrainingGraph(graph, spec, watcher.taps);
    engine_ = std::make_unique<poplar::Engine>(graph, training.programs);
    std::mt19937 random(1);
    images_.resize(std::accumulate(spec.model.input.begin(),
                                   spec.model.input.end(), spec.batchSize,
                                   std::multiplies<>()));
    for (float &pixel : images_)
      pixel = static_cast<float>(random() % 256) / 255;
    labels_.resize(spec.batchSize);
    for (unsigned &label : labels_)
      label = static_cast<unsigned>(random() % 10);
    losses_.resize(spec.batchSize);
    probabilities_.resize(spec.batchSize * 10);
    connect(streams::kTrainImages, images_);
    connect(streams::kTrainLabels, labels_);
    connect(streams::kTrainLosses, losses_);
    connect(streams::kTrainProbabilities, probabilities_);
    connect(streams::kPredictImages, images_);
    connect(streams::kPredictProbabilities, probabilities_);
    if (watcher.connect)
      watcher.connect(*engine_);
    engine_->load(device);
    for (const popscope::graph::StateTensor &tensor : training.state)
      if (tensor.trainable) {
        const std::vector<float> values =
            popscope::graph::initialValue(tensor, 1);
        engine_->writeTensor(tensor.name, values.data(),
                             values.data() + values.size());
      }
  }

  void step() { engine_->run(unsigned(popscope::graph::ProgramId::train)); }

private:
  template <class T> void connect(const char *stream, std::vector<T> &buffer) {
    engine_->connectStream(stream, buffer.data(),
                           buffer.data() + buffer.size());
  }

  std::vector<float> images_, losses_, probabilities_;
  std::vector<unsigned> labels_;
  std::unique_ptr<poplar::Engine> engine_;
};

} // namespace benchmarks
