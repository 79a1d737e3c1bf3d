// What does the fixed order of an all-reduce between instances cost over
// MPI_Allreduce, which is free to add in any order? And how fast do two
// instances train, of one replica each, compared with one process that has both
// replicas?
#include "benchmarks/support/ratio.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <string>
#include <utility>
#include <vector>

using benchmarks::Better;
using benchmarks::Suite;

namespace {

void allowRoot() {
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
}

void allReduce(const Suite &suite, const std::string &name,
               unsigned long elements, int calls) {
  if (!suite.wants(name))
    return;
  allowRoot();
  const std::string command =
      std::string(POPRUN_COMMAND) +
      " --num-instances 2 --num-replicas 2 --mpi-global-args=--quiet " +
      INSTANCES_PROGRAM + ' ' + std::to_string(elements) + ' ' +
      std::to_string(calls) + (suite.quick() ? " 3" : " 15");
  FILE *const output = popen(command.c_str(), "r");
  double ours = 0, theirs = 0;
  if (!output ||
      std::fscanf(output, "[1,0]<stdout>:%lf %lf", &ours, &theirs) != 2 ||
      pclose(output) != 0) {
    std::fprintf(stderr, "%s is left out: poprun failed\n", name.c_str());
    return;
  }
  suite.report({name, ours, theirs, "MPI_Allreduce of the same bytes",
                Better::lower, 2.5});
}

// Images a second in the last epoch that the command prints; 0 if it fails.
double imagesPerSecond(const std::string &command) {
  FILE *const output = popen(command.c_str(), "r");
  if (!output)
    return 0;
  std::string text;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output))
    if (c != ',') // of thousands
      text += char(c);
  if (pclose(output) != 0)
    return 0;
  const std::regex rate("([0-9.]+) images/s");
  double last = 0;
  for (std::sregex_iterator found(text.begin(), text.end(), rate), end;
       found != end; ++found)
    last = std::strtod((*found)[1].str().c_str(), nullptr);
  return last;
}

void train(const Suite &suite, const std::string &name) {
  if (!suite.wants(name))
    return;
  allowRoot();
  const std::string training =
      std::string(POPSCOPE_COMMAND) +
      " train --preset cnn --epochs 2 --validate-every 0 --no-inspection "
      "--logdir ${TMPDIR:-/tmp}/popscope-instances-benchmark";
  const std::string apart =
      std::string(POPRUN_COMMAND) +
      " --num-instances 2 --num-replicas 2 --mpi-global-args=--quiet " +
      training;
  const std::string together =
      "IPUMODEL_THREADS=2 " + training + " --replicas 2";
  const std::size_t rounds = suite.quick() ? 1 : 5;
  std::vector<std::pair<double, double>> rates;
  for (std::size_t round = 0; round < rounds; ++round) {
    const double ours = imagesPerSecond(apart);
    const double theirs = imagesPerSecond(together);
    if (ours == 0 || theirs == 0) {
      std::fprintf(stderr, "%s is left out: a training failed\n", name.c_str());
      return;
    }
    rates.emplace_back(ours, theirs);
  }
  // The round with the median ratio.
  std::sort(rates.begin(), rates.end(), [](const auto &a, const auto &b) {
    return a.first * b.second < b.first * a.second;
  });
  const auto &median = rates[rates.size() / 2];
  suite.report({name, median.first, median.second,
                "one process with two replicas", Better::higher, 0.9});
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  allReduce(suite, "instances/allreduce-256B", 64, 500);
  allReduce(suite, "instances/allreduce-64KB", 1 << 14, 100);
  allReduce(suite, "instances/allreduce-1MB", 1 << 18, 20);
  allReduce(suite, "instances/allreduce-16MB", 1 << 22, 2);
  train(suite, "instances/train-2x1");
}
