// How does `popscope train`, from start to end, compare with the same training
// as a program in PyTorch, Keras and JAX, with its own steps alone, and with
// itself when it watches that all tensors are finite, as it does by default?
//
// Each program runs with few and with many steps. The short run gives the time
// to the first weight update; the difference gives the speed, including data
// loading. All programs take turns, a few times.
#include "benchmarks/support/ratio.hpp"
#include "benchmarks/support/training_engine.hpp"
#include "graph/models.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using benchmarks::Better;
using benchmarks::Suite;

namespace {

struct Cost {
  double seconds;
  double megabytes; // at the peak
};

std::optional<Cost> run(const std::vector<std::string> &command) {
  std::vector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) != 0)
    return std::nullopt;
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  return Cost{took.count(), double(usage.ru_maxrss) / 1024.0};
}

struct Program {
  std::string name;
  double imagesPerSecond;
  double startSeconds;
  double megabytes;
};

struct Training {
  std::string preset;
  std::string data; // a folder
  popscope::graph::TrainingSpec spec;
  unsigned shortSteps; // one weight update
  unsigned longSteps;
  // Of the peers: scripts, each with options.
  std::vector<std::vector<std::string>> peers;
  const char *stepsOption = "--steps-per-epoch"; // else of one step each

  std::size_t batch() const { return spec.batchSize; }
};

popscope::graph::TrainingSpec specOf(popscope::graph::ModelSpec model,
                                     popscope::graph::OptimizerSpec optimizer,
                                     std::size_t batch, unsigned accumulation,
                                     bool pipelined) {
  popscope::graph::TrainingSpec spec;
  spec.model = std::move(model);
  spec.optimizer = optimizer;
  spec.batchSize = batch;
  spec.accumulation = accumulation;
  spec.pipelined = pipelined;
  return spec;
}

// Images per second of the steps alone, without data, metrics and files.
double stepRate(const Suite &suite, const Training &training) {
  benchmarks::TrainingEngine engine(training.spec, {});
  const double seconds = suite.time({[&] { engine.step(); }}).front();
  return double(training.batch() * training.spec.accumulation) / seconds;
}

template <class CommandFor>
std::optional<Program> measure(const std::string &name,
                               const Training &training,
                               const CommandFor &commandFor) {
  run(commandFor(training.shortSteps)); // reads files into the page cache
  const auto shortRun = run(commandFor(training.shortSteps));
  const auto longRun = run(commandFor(training.longSteps));
  if (!shortRun || !longRun || longRun->seconds <= shortRun->seconds) {
    std::cerr << "left out: " << name << '\n';
    return std::nullopt;
  }
  const double images =
      double(training.batch()) * (training.longSteps - training.shortSteps);
  return Program{name, images / (longRun->seconds - shortRun->seconds),
                 shortRun->seconds, longRun->megabytes};
}

std::optional<Program> ours(const Training &training,
                            const std::vector<std::string> &options) {
  return measure("popscope", training, [&](unsigned steps) {
    static const popscope::tests::TempDir logs;
    std::vector<std::string> command{POPSCOPE_COMMAND, "train",
                                     "--preset",       training.preset,
                                     "--device",       "model",
                                     "--data",         training.data,
                                     "--logdir",       logs.path().string(),
                                     "--run",          "r",
                                     "--clean",        "--quiet"};
    command.insert(command.end(),
                   {training.stepsOption, std::to_string(steps)});
    if (training.stepsOption != std::string("--epochs"))
      command.insert(command.end(), {"--epochs", "1"});
    command.insert(command.end(), options.begin(), options.end());
    return command;
  });
}

std::vector<Program> peers(const Training &training) {
  const char *const chosen = std::getenv("POPSCOPE_PEER_PYTHON");
  const std::string python = chosen ? chosen : "python3";
  std::vector<Program> programs;
  for (const std::vector<std::string> &peer : training.peers) {
    std::string name = peer.front();
    for (std::size_t i = 1; i < peer.size(); ++i)
      name += " " + peer[i];
    const auto program = measure(name, training, [&](unsigned steps) {
      std::vector<std::string> command{
          python, POPSCOPE_PEERS_DIR "/" + peer.front(), training.preset,
          training.data, std::to_string(steps)};
      command.insert(command.end(), peer.begin() + 1, peer.end());
      return command;
    });
    if (program)
      programs.push_back(*program);
  }
  return programs;
}

// The times of one round are compared only with each other.
struct Round {
  Program own;
  Program watched; // by default
  double steps;    // images per second
  std::vector<Program> others;

  const Program &fastest() const {
    return *std::max_element(others.begin(), others.end(),
                             [](const Program &a, const Program &b) {
                               return a.imagesPerSecond < b.imagesPerSecond;
                             });
  }
  const Program &smallest() const {
    return *std::min_element(others.begin(), others.end(),
                             [](const Program &a, const Program &b) {
                               return a.megabytes < b.megabytes;
                             });
  }
  double speedUp() const {
    return own.imagesPerSecond / fastest().imagesPerSecond;
  }
};

void compare(const Suite &suite, const Training &training) {
  const std::string name = "train/" + training.preset;
  if (!suite.wants(name))
    return;
  std::vector<Round> rounds;
  for (int i = 0; i < (suite.quick() ? 1 : 3); ++i) {
    const auto own = ours(training, {"--no-inspection"});
    const auto watched = ours(training, {});
    const double steps = stepRate(suite, training);
    const std::vector<Program> others = peers(training);
    if (!own || !watched || others.empty())
      return;
    rounds.push_back({*own, *watched, steps, others});
  }
  const auto middle =
      rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
  std::nth_element(
      rounds.begin(), middle, rounds.end(),
      [](const Round &a, const Round &b) { return a.speedUp() < b.speedUp(); });
  const Program &own = middle->own;
  suite.report({name, own.imagesPerSecond, middle->fastest().imagesPerSecond,
                middle->fastest().name + ", images/s", Better::higher, 3.0});
  suite.report({name + "_step", own.imagesPerSecond, middle->steps,
                "its steps alone, images/s", Better::higher, 0.9});
  suite.report({name + "_watched", middle->watched.imagesPerSecond,
                own.imagesPerSecond, "the same with --no-inspection, images/s",
                Better::higher, 0.9});
  suite.report({name + "_start", own.startSeconds, 2.0,
                "the limit for the first step, s", Better::lower, 1.0});
  suite.report({name + "_memory", own.megabytes, middle->smallest().megabytes,
                middle->smallest().name + ", MB", Better::lower, 1.0});
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  using namespace popscope::graph;
  const unsigned longer = suite.quick() ? 1 : 4;
  const std::string mnist = POPSCOPE_DATA "/mnist";
  compare(suite, {"cnn",
                  mnist,
                  specOf(cnnModel(), cnnOptimizer(), 32, 16, true),
                  16,
                  160 * longer,
                  {{"train_torch.py"},
                   {"train_torch.py", "--channels-last"},
                   {"train_keras.py"}}});
  compare(suite, {"mlp",
                  mnist,
                  specOf(mlpModel(), mlpOptimizer(), 32, 4, true),
                  4,
                  2000 * longer,
                  {{"train_torch.py"}, {"train_keras.py"}}});
  compare(suite, {"gmp-cnn",
                  mnist,
                  specOf(gmpCnnModel(), gmpCnnOptimizer(), 128, 1, false),
                  1,
                  60 * longer,
                  {{"train_torch.py"}, {"train_jax.py"}}});
  compare(suite, {"fashion",
                  POPSCOPE_DATA "/fashion-mnist",
                  specOf(fashionModel(), fashionOptimizer(), 32, 1, false),
                  1,
                  4000 * longer,
                  {{"train_torch.py"}, {"train_jax.py"}}});
  compare(suite, {"digits",
                  POPSCOPE_DATA "/digits",
                  specOf(digitsModel(), digitsOptimizer(), 1347, 1, false),
                  1,
                  750 * longer,
                  {{"train_jax.py"}},
                  "--epochs"});
}
