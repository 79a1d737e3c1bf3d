// How does `popscope train`, from start to end, compare with the same training
// as a program in PyTorch and in Keras?
//
// Each program runs with few and with many steps. The short run gives the time
// to the first weight update; the difference gives the speed, including data
// loading. All programs take turns, a few times.
#include "benchmarks/ratio.hpp"
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
  unsigned batch;
  unsigned shortSteps; // one weight update
  unsigned longSteps;
};

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
      double(training.batch) * (training.longSteps - training.shortSteps);
  return Program{name, images / (longRun->seconds - shortRun->seconds),
                 shortRun->seconds, longRun->megabytes};
}

std::optional<Program> ours(const Training &training) {
  return measure("popscope", training, [&](unsigned steps) {
    static const popscope::tests::TempDir logs;
    return std::vector<std::string>{POPSCOPE_COMMAND,
                                    "train",
                                    "--preset",
                                    training.preset,
                                    "--device",
                                    "model",
                                    "--epochs",
                                    "1",
                                    "--data",
                                    POPSCOPE_DATA,
                                    "--quiet",
                                    "--steps-per-epoch",
                                    std::to_string(steps),
                                    "--logdir",
                                    logs.path().string(),
                                    "--run",
                                    "r",
                                    "--clean",
                                    "--no-inspection"};
  });
}

std::vector<Program> peers(const Training &training) {
  const char *const chosen = std::getenv("POPSCOPE_PEER_PYTHON");
  const std::string python = chosen ? chosen : "python3";
  std::vector<Program> programs;
  const auto add = [&](const std::string &name, const std::string &script,
                       const std::vector<std::string> &options) {
    const auto program = measure(name, training, [&](unsigned steps) {
      std::vector<std::string> command{python, POPSCOPE_PEERS_DIR "/" + script,
                                       training.preset, POPSCOPE_DATA,
                                       std::to_string(steps)};
      command.insert(command.end(), options.begin(), options.end());
      return command;
    });
    if (program)
      programs.push_back(*program);
  };
  add("PyTorch", "train_torch.py", {});
  if (training.preset == "cnn")
    add("PyTorch, channels last", "train_torch.py", {"--channels-last"});
  add("Keras", "train_keras.py", {});
  return programs;
}

// The times of one round are compared only with each other.
struct Round {
  Program own;
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
    const auto own = ours(training);
    const std::vector<Program> others = peers(training);
    if (!own || others.empty())
      return;
    rounds.push_back({*own, others});
  }
  const auto middle =
      rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
  std::nth_element(
      rounds.begin(), middle, rounds.end(),
      [](const Round &a, const Round &b) { return a.speedUp() < b.speedUp(); });
  const Program &own = middle->own;
  suite.report({name, own.imagesPerSecond, middle->fastest().imagesPerSecond,
                middle->fastest().name + ", images/s", Better::higher, 3.0});
  suite.report({name + "_start", own.startSeconds, 2.0,
                "the limit for the first step, s", Better::lower, 1.0});
  suite.report({name + "_memory", own.megabytes, middle->smallest().megabytes,
                middle->smallest().name + ", MB", Better::lower, 1.0});
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  const unsigned longer = suite.quick() ? 1 : 4;
  compare(suite, {"cnn", 32, 16, 160 * longer});
  compare(suite, {"mlp", 32, 4, 2000 * longer});
}
