// How does the speed of a training step compare with PyTorch and JAX at their
// best and with a large matrix product, for the presets' networks and for two
// that a user wrote; what does it spend its time on, and what does a pipeline
// cost?
#include "benchmarks/support/peer_process.hpp"
#include "benchmarks/support/step_shares.hpp"
#include "benchmarks/support/thread_choice.hpp"
#include "benchmarks/support/training_engine.hpp"
#include "benchmarks/support/user_network.hpp"
#include "graph/model_shapes.hpp"
#include "graph/models.hpp"

#include <functional>
#include <iomanip>
#include <iostream>
#include <numeric>
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
  double torchGoal, jaxGoal;
};

std::vector<Network> networks() {
  return {{"cnn", cnnModel(), cnnOptimizer(), 32, 5.5, 5.5},
          {"mlp", mlpModel(), mlpOptimizer(), 32, 4.0, 2.0},
          {"gmp-cnn", gmpCnnModel(), gmpCnnOptimizer(), 128, 4.5, 4.5},
          {"digits", digitsModel(), digitsOptimizer(), 1347, 2.0, 2.0}};
}

// Of one whole step: products of the forward pass, of the weights' gradients,
// and of the inputs' gradients except the first layer's.
double flopsOfStep(const Network &network) {
  const auto outputs = outputShapes(network.model);
  double flops = 0, first = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::vector<std::size_t> &in =
        i == 0 ? network.model.input : outputs[i - 1];
    double perOutput = 0; // products summed per output element
    if (const auto *conv = std::get_if<Conv>(&network.model.layers[i].kind))
      perOutput = double(conv->kernel * conv->kernel * in.back());
    else if (std::get_if<Dense>(&network.model.layers[i].kind))
      perOutput = double(in.back());
    const double forward = 2 * double(network.batch) * perOutput *
                           std::accumulate(outputs[i].begin(), outputs[i].end(),
                                           1.0, std::multiplies<>());
    if (first == 0)
      first = forward;
    flops += 3 * forward;
  }
  return flops - first;
}

void printShares(const Suite &suite, const std::string &name,
                 const TrainingSpec &spec) {
  const std::size_t steps = suite.quick() ? 20 : 200;
  std::cout << name << ", operations run separately:";
  const char *separator = " ";
  for (const benchmarks::StepShare &part :
       benchmarks::stepShares(spec, steps)) {
    std::cout << separator << part.kind << ' ' << std::setprecision(2)
              << 100 * part.share << " %";
    separator = ", ";
  }
  std::cout << std::endl;
}

void compare(const Suite &suite, const Network &network) {
  const std::string name = std::string("train-step/") + network.name;
  if (!suite.wants(name))
    return;
  PeerProcess torch("train_step.py", network.name);
  PeerProcess jax("train_step_jax.py", network.name);
  PeerProcess product("matrix_product.py", "1024");
  TrainingSpec spec;
  spec.model = network.model;
  spec.optimizer = network.optimizer;
  spec.batchSize = network.batch;
  const auto trainings = benchmarks::forThreadChoices([&] {
    return std::make_unique<benchmarks::TrainingEngine>(
        spec, benchmarks::TrainingEngine::Watcher());
  });
  std::vector<Suite::Timed> ours;
  for (const auto &training : trainings)
    ours.push_back(Suite::timed([&] { training->step(); }));
  const std::vector<double> seconds = benchmarks::timeBest(
      suite, ours,
      {[&](std::size_t calls) { return torch.seconds(calls); },
       [&](std::size_t calls) { return jax.seconds(calls); },
       [&](std::size_t calls) { return product.seconds(calls); }});
  suite.report({name, 1 / seconds[0], 1 / seconds[1], torch.name(),
                Better::higher, network.torchGoal});
  suite.report({name + "/jax", 1 / seconds[0], 1 / seconds[2], jax.name(),
                Better::higher, network.jaxGoal});
  const double productFlops = 2.0 * 1024 * 1024 * 1024;
  suite.report({name + "/roofline", flopsOfStep(network) / seconds[0],
                productFlops / seconds[3], product.name(), Better::higher,
                network.torchGoal / 10});
  printShares(suite, name, spec);
}

// Nothing in the engine was written for these.
void compareUserNetwork(const Suite &suite, const std::string &network) {
  const std::string name = "train-step/" + network;
  if (!suite.wants(name))
    return;
  PeerProcess torch("train_step.py", network);
  const auto trainings = benchmarks::forThreadChoices(
      [&] { return std::make_unique<benchmarks::UserNetwork>(network); });
  std::vector<Suite::Timed> ours;
  for (const auto &training : trainings)
    ours.push_back(Suite::timed([&] { training->step(); }));
  const std::vector<double> seconds = benchmarks::timeBest(
      suite, ours, {[&](std::size_t calls) { return torch.seconds(calls); }});
  suite.report({name, 1 / seconds[0], 1 / seconds[1], torch.name(),
                Better::higher, 2.0});
}

// The model runs one stage after the other, so a pipeline saves no time there
// but moves activations in and out of the stash.
void comparePipeline(const Suite &suite) {
  const char *const name = "train-step/cnn-pipeline";
  if (!suite.wants(name))
    return;
  TrainingSpec spec;
  spec.model = cnnModel();
  spec.optimizer = cnnOptimizer();
  spec.accumulation = 16;
  benchmarks::TrainingEngine plain(spec, {});
  spec.pipelined = true;
  benchmarks::TrainingEngine pipelined(spec, {});
  const auto seconds =
      suite.time({[&] { pipelined.step(); }, [&] { plain.step(); }});
  suite.report({name, seconds[0], seconds[1], "the same update on one IPU",
                Better::lower, 1.2});
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  try {
    for (const Network &network : networks())
      compare(suite, network);
    for (const char *network : {"residual", "wide-mlp"})
      compareUserNetwork(suite, network);
    comparePipeline(suite);
  } catch (const std::exception &error) {
    std::cerr << "train_step_benchmark: " << error.what() << '\n';
    return 1;
  }
}
