// A training graph on a modelled device, fed with made-up images.
#pragma once

#include "graph/layers/initializers.hpp"
#include "graph/training_graph.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace popscope::graph::tests {

inline std::size_t elements(const std::vector<std::size_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t(1),
                         std::multiplies<>());
}

// A hash of the index: make_references.py computes the same images and labels.
inline std::uint64_t noise(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
inline float pixel(std::uint64_t index) {
  return float(noise(index) >> 40) * 0x1p-24f;
}
// Labels of images whose pixels are noise: there is nothing to learn but the
// images themselves.
inline unsigned label(std::uint64_t image) {
  return unsigned(noise(image + (std::uint64_t(1) << 40)) % 10);
}

struct TestTrainerOptions {
  unsigned ipusPerReplica = 1;
  unsigned replicas = 1;
  TapObserver *taps = nullptr;
  // 0: every micro-batch has images of its own; else they repeat.
  std::size_t distinctImages = 0;
  std::uint64_t seed = 1; // of the initial weights
};

class TestTrainer {
public:
  explicit TestTrainer(const TrainingSpec &spec,
                       const TestTrainerOptions &options = {})
      : spec_(spec), options_(options), device_(makeDevice(options)),
        imageSize_(elements(spec.model.input)), losses_(options.replicas),
        probabilities_(options.replicas) {
    poplar::Graph graph(device_.getTarget(),
                        poplar::replication_factor(options.replicas));
    TrainingGraph training = buildTrainingGraph(graph, spec, options.taps);
    state_ = training.state;
    engine_ = std::make_unique<poplar::Engine>(graph, training.programs);
    device_.attach();
    for (unsigned replica = 0; replica < options.replicas; ++replica)
      connect(replica);
    engine_->load(device_);
    for (const StateTensor &tensor : state_)
      if (tensor.trainable)
        write(tensor.name, initialValue(tensor, options.seed));
  }

  void train(unsigned runs = 1) {
    for (unsigned run = 0; run < runs; ++run)
      engine_->run(unsigned(ProgramId::train));
  }
  std::vector<float> predict() {
    engine_->run(unsigned(ProgramId::predict));
    return predictions_;
  }

  // Of the last prediction.
  const std::vector<float> &logits() const { return logits_; }

  const std::vector<StateTensor> &state() const { return state_; }
  poplar::Engine &engine() { return *engine_; }

  // Mean loss of each micro-batch so far.
  const std::vector<double> &losses(unsigned replica = 0) const {
    return losses_[replica];
  }
  const std::vector<float> &probabilities(unsigned replica = 0) const {
    return probabilities_[replica];
  }

  template <typename T = float>
  std::vector<T> read(const std::string &name, unsigned replica = 0) {
    const std::size_t size = elements(find(name).shape);
    std::vector<T> all(size * options_.replicas);
    engine_->readTensor(name, all.data(), all.data() + all.size());
    const auto begin = all.begin() + std::ptrdiff_t(replica * size);
    return {begin, begin + std::ptrdiff_t(size)};
  }
  template <typename T>
  void write(const std::string &name, const std::vector<T> &values) {
    std::vector<T> all;
    for (unsigned replica = 0; replica < options_.replicas; ++replica)
      all.insert(all.end(), values.begin(), values.end());
    engine_->writeTensor(name, all.data(), all.data() + all.size());
  }

  // All trainable state, by name.
  std::map<std::string, std::vector<float>> weights(unsigned replica = 0) {
    std::map<std::string, std::vector<float>> result;
    for (const StateTensor &tensor : state_)
      if (tensor.trainable)
        result[tensor.name] = read(tensor.name, replica);
    return result;
  }

private:
  static poplar::Device makeDevice(const TestTrainerOptions &options) {
    poplar::IPUModel model("ipu2");
    model.numIPUs = options.ipusPerReplica * options.replicas;
    model.tilesPerIPU = 16;
    model.memoryBytesPerTile = 64u << 20; // the models do not fit 16 real tiles
    return model.createDevice();
  }

  const StateTensor &find(const std::string &name) const {
    for (const StateTensor &tensor : state_)
      if (tensor.name == name)
        return tensor;
    throw std::out_of_range(name);
  }

  // The first image of the next micro-batch of a replica: those of an update
  // follow each other, replica after replica.
  std::size_t firstImage(std::size_t &count, unsigned replica) const {
    const std::size_t update = count / spec_.accumulation;
    const std::size_t microBatch =
        (update * options_.replicas + replica) * spec_.accumulation +
        count % spec_.accumulation;
    ++count;
    return microBatch * spec_.batchSize;
  }
  std::size_t wrapped(std::size_t image) const {
    return options_.distinctImages ? image % options_.distinctImages : image;
  }
  void fillImages(void *to, std::size_t first, std::size_t count) const {
    std::vector<float> images(count * imageSize_);
    for (std::size_t i = 0; i < images.size(); ++i)
      images[i] =
          pixel(wrapped(first + i / imageSize_) * imageSize_ + i % imageSize_);
    std::memcpy(to, images.data(), images.size() * sizeof(float));
  }
  void fillLabels(void *to, std::size_t first) const {
    for (std::size_t i = 0; i < spec_.batchSize; ++i)
      static_cast<std::uint32_t *>(to)[i] = label(wrapped(first + i));
  }

  void connect(unsigned replica) {
    using Fetch = std::function<void(void *)>;
    const auto connect = [&](const char *stream, Fetch fetch) {
      engine_->connectStreamToCallback(stream, replica, std::move(fetch));
    };
    const std::size_t classes =
        std::get<Dense>(spec_.model.layers.back().kind).units;
    const std::size_t outputs = spec_.batchSize * classes;
    connect(streams::kTrainImages,
            [this, replica, count = std::size_t(0)](void *to) mutable {
              fillImages(to, firstImage(count, replica), spec_.batchSize);
            });
    connect(streams::kTrainLabels,
            [this, replica, count = std::size_t(0)](void *to) mutable {
              fillLabels(to, firstImage(count, replica));
            });
    connect(streams::kTrainLosses, [this, replica](void *from) {
      const auto *begin = static_cast<const float *>(from);
      losses_[replica].push_back(
          std::accumulate(begin, begin + spec_.batchSize, 0.0) /
          double(spec_.batchSize));
    });
    connect(streams::kTrainProbabilities, [this, replica, outputs](void *from) {
      const auto *begin = static_cast<const float *>(from);
      probabilities_[replica].assign(begin, begin + outputs);
    });
    connect(streams::kPredictImages,
            [this](void *to) { fillImages(to, 0, spec_.predictImages()); });
    const std::size_t predicted = spec_.predictImages() * classes;
    connect(streams::kPredictProbabilities, [this, predicted](void *from) {
      const auto *begin = static_cast<const float *>(from);
      predictions_.assign(begin, begin + predicted);
    });
    if (spec_.outputsLogits)
      connect(streams::kPredictLogits, [this, predicted](void *from) {
        const auto *begin = static_cast<const float *>(from);
        logits_.assign(begin, begin + predicted);
      });
  }

  TrainingSpec spec_;
  TestTrainerOptions options_;
  poplar::Device device_;
  std::size_t imageSize_;
  std::vector<StateTensor> state_;
  std::vector<std::vector<double>> losses_;
  std::vector<std::vector<float>> probabilities_;
  std::vector<float> predictions_, logits_;
  std::unique_ptr<poplar::Engine> engine_;
};

} // namespace popscope::graph::tests
