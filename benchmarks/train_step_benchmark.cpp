// How fast is a training step of the presets' networks against PyTorch's best
// setting, and how far is it from the speed of a large matrix product?
#include "benchmarks/peer_process.hpp"
#include "benchmarks/ratio.hpp"
#include "graph/initializers.hpp"
#include "graph/models.hpp"
#include "graph/training_graph.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <random>
#include <stdexcept>

using benchmarks::Better;
using benchmarks::PeerProcess;
using benchmarks::Suite;
using namespace popscope::graph;

namespace {

struct Network {
  const char *name;
  ModelSpec model;
  OptimizerSpec optimizer;
  std::size_t batch;
  double goal;
  // Of one step with nothing left out: products of the forward pass, of the
  // weights' gradients, and of the inputs' but for the first layer's.
  double megaflops;
};

std::vector<Network> networks() {
  return {{"cnn", cnnModel(), cnnOptimizer(), 32, 3.0, 484.9},
          {"mlp", mlpModel(), mlpOptimizer(), 32, 3.0, 32.2},
          {"gmp-cnn", gmpCnnModel(), gmpCnnOptimizer(), 128, 2.0, 2087.3}};
}

// An engine that trains on one batch again and again.
class Training {
public:
  explicit Training(const Network &network) {
    TrainingSpec spec;
    spec.model = network.model;
    spec.optimizer = network.optimizer;
    spec.batchSize = network.batch;
    poplar::IPUModel model;
    model.tilesPerIPU = 64;
    model.memoryBytesPerTile = 64u << 20;
    const poplar::Device device = model.createDevice();
    poplar::Graph graph(device.getTarget());
    const TrainingGraph training = buildTrainingGraph(graph, spec);
    engine_ = std::make_unique<poplar::Engine>(graph, training.programs);
    std::mt19937 random(1);
    images_.resize(network.batch * 28 * 28);
    for (float &pixel : images_)
      pixel = static_cast<float>(random() % 256) / 255;
    labels_.resize(network.batch);
    for (unsigned &label : labels_)
      label = static_cast<unsigned>(random() % 10);
    losses_.resize(network.batch);
    probabilities_.resize(network.batch * 10);
    connect(streams::kTrainImages, images_);
    connect(streams::kTrainLabels, labels_);
    connect(streams::kTrainLosses, losses_);
    connect(streams::kTrainProbabilities, probabilities_);
    connect(streams::kPredictImages, images_);
    connect(streams::kPredictProbabilities, probabilities_);
    engine_->load(device);
    for (const StateTensor &tensor : training.state)
      if (tensor.trainable) {
        const std::vector<float> values = initialValue(tensor, 1);
        engine_->writeTensor(tensor.name, values.data(),
                             values.data() + values.size());
      }
  }

  void step() { engine_->run(unsigned(ProgramId::train)); }

private:
  template <class T> void connect(const char *stream, std::vector<T> &buffer) {
    engine_->connectStream(stream, buffer.data(),
                           buffer.data() + buffer.size());
  }

  std::vector<float> images_, losses_, probabilities_;
  std::vector<unsigned> labels_;
  std::unique_ptr<poplar::Engine> engine_;
};

void compare(const Suite &suite, const Network &network) {
  const std::string name = std::string("train-step/") + network.name;
  if (!suite.wants(name))
    return;
  PeerProcess peer("train_step.py", network.name);
  PeerProcess product("matrix_product.py", "1024");
  Training training(network);
  const auto ours = [&](std::size_t calls) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < calls; ++i)
      training.step();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  };
  const std::vector<double> seconds = suite.timeTurns(
      {ours, [&](std::size_t calls) { return peer.seconds(calls); },
       [&](std::size_t calls) { return product.seconds(calls); }});
  suite.report({name, 1 / seconds[0], 1 / seconds[1], peer.name(),
                Better::higher, network.goal});
  const double productFlops = 2.0 * 1024 * 1024 * 1024;
  suite.report({name + "/roofline", network.megaflops * 1e6 / seconds[0],
                productFlops / seconds[2], product.name(), Better::higher,
                network.goal / 10});
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  try {
    for (const Network &network : networks())
      compare(suite, network);
  } catch (const std::exception &error) {
    std::cerr << "train_step_benchmark: " << error.what() << '\n';
    return 1;
  }
}
