// One process: what the environment says, and a backend of one instance.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>

#include <cstdlib>
#include <gmock/gmock.h>
#include <map>
#include <popdist/collectives.hpp>
#include <popdist/popdist_poplar.hpp>
#include <string>

using testing::HasSubstr;

namespace {

// The variables of PopRun, for as long as it lives.
class Environment {
public:
  explicit Environment(const std::map<std::string, std::string> &values) {
    for (const char *name : kNames) {
      const auto value = values.find(name);
      if (value != values.end())
        setenv(name, value->second.c_str(), 1);
      else
        unsetenv(name);
    }
  }
  ~Environment() {
    for (const char *name : kNames)
      unsetenv(name);
  }

private:
  static constexpr const char *kNames[] = {
      "POPDIST_NUM_TOTAL_REPLICAS",
      "POPDIST_NUM_LOCAL_REPLICAS",
      "POPDIST_REPLICA_INDEX_OFFSET",
      "POPDIST_NUM_IPUS_PER_REPLICA",
      "POPDIST_UNIFORM_REPLICAS_PER_INSTANCE",
      "POPDIST_LOCAL_INSTANCE_INDEX",
      "IPUMODEL_DEVICES"};
};

template <class F> std::string errorOf(F &&f) {
  try {
    f();
  } catch (const popdist::popdist_error &error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST(Context, WithoutVariablesThereIsOneInstanceOfOneReplica) {
  const Environment none({});
  EXPECT_FALSE(popdist::isPopdistEnvSet());
  EXPECT_EQ(popdist::getNumTotalReplicas(), 1u);
  EXPECT_EQ(popdist::getNumLocalReplicas(), 1u);
  EXPECT_EQ(popdist::getReplicaIndexOffset(), 0u);
  EXPECT_EQ(popdist::getNumInstances(), 1u);
  EXPECT_EQ(popdist::getInstanceIndex(), 0u);
  EXPECT_EQ(popdist::getLocalInstanceIndex(), 0u);
  EXPECT_TRUE(popdist::checkNumIpusPerReplica(1));
  EXPECT_FALSE(popdist::checkNumIpusPerReplica(2));
}

TEST(Context, InstancesFollowFromTheReplicas) {
  const Environment set({{"POPDIST_NUM_TOTAL_REPLICAS", "8"},
                         {"POPDIST_NUM_LOCAL_REPLICAS", "2"},
                         {"POPDIST_REPLICA_INDEX_OFFSET", "6"},
                         {"POPDIST_NUM_IPUS_PER_REPLICA", "2"},
                         {"POPDIST_UNIFORM_REPLICAS_PER_INSTANCE", "1"},
                         {"POPDIST_LOCAL_INSTANCE_INDEX", "1"}});
  EXPECT_TRUE(popdist::isPopdistEnvSet());
  EXPECT_EQ(popdist::getNumInstances(), 4u);
  EXPECT_EQ(popdist::getInstanceIndex(), 3u);
  EXPECT_EQ(popdist::getLocalInstanceIndex(), 1u);
  EXPECT_TRUE(popdist::checkNumIpusPerReplica(2));
}

TEST(Context, WhatCannotBeReadIsNamed) {
  for (const char *bad : {"", "-1", "two", "1.5", "12345678901"}) {
    const Environment set(std::map<std::string, std::string>{
        {"POPDIST_NUM_TOTAL_REPLICAS", bad}});
    EXPECT_THAT(errorOf([] { popdist::getNumTotalReplicas(); }),
                HasSubstr("POPDIST_NUM_TOTAL_REPLICAS"))
        << bad;
  }
}

TEST(Context, WhatContradictsItselfIsRefused) {
  const Environment beyond({{"POPDIST_NUM_TOTAL_REPLICAS", "4"},
                            {"POPDIST_NUM_LOCAL_REPLICAS", "2"},
                            {"POPDIST_REPLICA_INDEX_OFFSET", "3"}});
  EXPECT_THAT(errorOf([] { popdist::getReplicaIndexOffset(); }),
              HasSubstr("beyond the 4"));
  const Environment uneven({{"POPDIST_NUM_TOTAL_REPLICAS", "4"},
                            {"POPDIST_NUM_LOCAL_REPLICAS", "2"},
                            {"POPDIST_UNIFORM_REPLICAS_PER_INSTANCE", "0"}});
  EXPECT_THAT(errorOf([] { popdist::getNumInstances(); }),
              HasSubstr("same number of replicas"));
}

TEST(Context, TheDeviceHasTheIpusOfTheLocalReplicas) {
  const Environment set({{"POPDIST_NUM_TOTAL_REPLICAS", "4"},
                         {"POPDIST_NUM_LOCAL_REPLICAS", "2"},
                         {"POPDIST_NUM_IPUS_PER_REPLICA", "2"},
                         {"IPUMODEL_DEVICES", "4"}});
  const auto manager = poplar::DeviceManager::createDeviceManager();
  const auto ipus = [&](unsigned perReplica) {
    return manager.getDevice(unsigned(popdist::getDeviceId(perReplica)))
        .getTarget()
        .getNumIPUs();
  };
  EXPECT_EQ(ipus(0), 4u);
  EXPECT_EQ(ipus(1), 2u);
  EXPECT_THAT(errorOf([] { popdist::getDeviceId(4); }),
              HasSubstr("no device of 8 IPUs"));
}

// In one test, because a process has one backend.
TEST(Backend, OneInstanceGoesThroughItsLifeWithoutMpi) {
  const Environment none({});
  int value = 7, all = 0;
  const auto use = [&] {
    popdist::collectives::allReduceSum(&value, 1, poplar::INT);
  };
  EXPECT_FALSE(popdist::isBackendInitialized());
  EXPECT_THAT(errorOf(use), HasSubstr("initializeBackend"));
  EXPECT_THAT(errorOf(popdist::initializeBackend),
              HasSubstr("registerDefaultBackend"));
  EXPECT_THAT(errorOf([] { popdist::registerBackend("/nowhere/none.so"); }),
              HasSubstr("/nowhere/none.so"));
  popdist::registerDefaultBackend();
  EXPECT_NE(errorOf(popdist::registerDefaultBackend), "");
  popdist::initializeBackend();
  EXPECT_TRUE(popdist::isBackendInitialized());
  EXPECT_NE(errorOf(popdist::initializeBackend), "");

  use();
  popdist::collectives::broadcast(&value, 1, poplar::INT);
  popdist::collectives::allGather(&value, &all, 1, poplar::INT);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(all, 7);
  popdist::synchronize();
  EXPECT_THAT(errorOf([] { popdist::registerCommunicator({1}, "other"); }),
              HasSubstr("participants"));
  EXPECT_THAT(errorOf([&] {
                popdist::collectives::broadcast(&value, 1, poplar::INT, 1);
              }),
              HasSubstr("no participant 1"));
  EXPECT_THAT(errorOf([&] {
                popdist::collectives::allReduceSum(&value, 1, poplar::BOOL);
              }),
              HasSubstr("bool cannot be added"));

  popdist::finalizeBackend();
  EXPECT_FALSE(popdist::isBackendInitialized());
  EXPECT_THAT(errorOf(use), HasSubstr("finalised"));
  EXPECT_THAT(errorOf(popdist::initializeBackend), HasSubstr("finalised"));
}

TEST(Run, WithAllReplicasHereItIsARunOfTheEngine) {
  const auto target = poplar::Target::createIPUTarget(1, "ipu2");
  poplar::Graph graph(target);
  const poplar::Tensor a = graph.addVariable(poplar::INT, {1}, "a");
  graph.setTileMapping(a, 0);
  graph.setInitialValue(a, 5);
  graph.createHostRead("a", a);
  poplar::Engine engine(graph, poplar::program::Sequence());
  setenv("IPUMODEL_DEVICES", "1", 1);
  engine.load(poplar::DeviceManager::createDeviceManager().getDevice(0));
  unsetenv("IPUMODEL_DEVICES");
  popdist::run(engine, 0);
  popdist::run(engine, 0, "named");
  EXPECT_THROW(popdist::run(engine, 1), poplar::index_error);
}
