// Started by instances_benchmark as several instances: the times of an
// all-reduce of gcl and of MPI_Allreduce of the same bytes, in seconds.
//   instances_program <elements> <calls of each in a round> <rounds>
#include <gcl/Collectives.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/codelets.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mpi.h>
#include <popdist/collectives.hpp>
#include <vector>

using namespace poplar;

namespace {

double secondsOf(int calls, const std::function<void()> &call) {
  using Clock = std::chrono::steady_clock;
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i)
    call();
  return std::chrono::duration<double>(Clock::now() - start).count() / calls;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  const std::size_t elements = std::strtoul(argv[1], nullptr, 10);
  const int calls = std::atoi(argv[2]), rounds = std::atoi(argv[3]);
  popdist::registerDefaultBackend();
  popdist::initializeBackend();

  const unsigned replicas = popdist::getNumTotalReplicas();
  IPUModel model;
  model.tilesPerIPU = 4;
  model.numIPUs = replicas;
  Graph graph(model.createDevice(), replication_factor(replicas));
  popops::addCodelets(graph);
  Tensor data = graph.addVariable(FLOAT, {elements}, "data");
  graph.setTileMapping(data, 0);
  program::Sequence prog;
  gcl::allReduceInPlaceCrossReplica(graph, data, gcl::CollectiveOperator::ADD,
                                    prog);
  Engine engine(graph, prog,
                {{"target.firstRuntimeReplica",
                  std::to_string(popdist::getReplicaIndexOffset())},
                 {"target.numberRuntimeReplica",
                  std::to_string(popdist::getNumLocalReplicas())}});
  model.numIPUs = popdist::getNumLocalReplicas();
  engine.load(model.createDevice());
  std::vector<float> values(elements); // zeros, as the tensor: sums stay finite

  std::vector<std::pair<double, double>> times; // gcl, MPI
  for (int round = 0; round < rounds; ++round) {
    const double ours = secondsOf(calls, [&] { engine.run(); });
    const double theirs = secondsOf(calls, [&] {
      MPI_Allreduce(MPI_IN_PLACE, values.data(), int(elements), MPI_FLOAT,
                    MPI_SUM, MPI_COMM_WORLD);
    });
    times.emplace_back(ours, theirs);
  }
  // The round with the median ratio.
  std::sort(times.begin(), times.end(), [](const auto &a, const auto &b) {
    return a.first * b.second < b.first * a.second;
  });
  const auto &median = times[times.size() / 2];
  if (popdist::getInstanceIndex() == 0)
    std::printf("%.9f %.9f\n", median.first, median.second);
  popdist::finalizeBackend();
}
