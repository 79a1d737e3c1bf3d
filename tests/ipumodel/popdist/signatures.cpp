// Every public signature of popdist, as programs use them.
#include <poplar/Engine.hpp>

#include <popdist/backend.hpp>
#include <popdist/collectives.hpp>
#include <popdist/context.hpp>
#include <popdist/popdist_poplar.hpp>

void useEverySignature(poplar::Engine &engine);

void useEverySignature(poplar::Engine &engine) {
  using namespace popdist;
  try {
    registerDefaultBackend();
    registerBackend("backend.so");
    initializeBackend();
    const std::string name = defaultCommunicatorId();
    registerCommunicator({0, 1});
    registerCommunicator({0, 1}, name);
    synchronize();
    synchronize(name);
    run(engine, 0);
    run(engine, 0, "name");
    unsigned n = getNumTotalReplicas() + getNumLocalReplicas() +
                 getReplicaIndexOffset() + getNumIpusPerReplica() +
                 getLocalInstanceIndex() + getNumInstances() +
                 getInstanceIndex();
    const bool is = isPopdistEnvSet() && checkNumIpusPerReplica(1) &&
                    isBackendInitialized();
    const int id = getDeviceId() + getDeviceId(2) + is;
    unsigned many[2] = {n, unsigned(id)};
    collectives::broadcast(&n, 1, poplar::UNSIGNED_INT);
    collectives::broadcast(&n, 1, poplar::UNSIGNED_INT, 1, name);
    collectives::allReduceSum(&n, 1, poplar::UNSIGNED_INT);
    collectives::allReduceSum(&n, 1, poplar::UNSIGNED_INT, name);
    collectives::allGather(&n, many, 1, poplar::UNSIGNED_INT);
    collectives::allGather(nullptr, many, 1, poplar::UNSIGNED_INT, name, true);
    finalizeBackend();
  } catch (const popdist_error &error) {
    const std::string what = error.what();
  }
}
