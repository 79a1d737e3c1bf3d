// What does the fixed order of an all-reduce between instances cost over
// MPI_Allreduce, which is free to add in any order?
#include "benchmarks/ratio.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

using benchmarks::Better;
using benchmarks::Suite;

namespace {

void allReduce(const Suite &suite, const std::string &name,
               unsigned long elements, int calls) {
  if (!suite.wants(name))
    return;
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
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

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  allReduce(suite, "instances/allreduce-256B", 64, 500);
  allReduce(suite, "instances/allreduce-64KB", 1 << 14, 100);
  allReduce(suite, "instances/allreduce-1MB", 1 << 18, 20);
  allReduce(suite, "instances/allreduce-16MB", 1 << 22, 2);
}
