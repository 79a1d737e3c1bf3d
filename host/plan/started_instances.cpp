#include "host/plan/started_instances.hpp"

#include "host/command.hpp"

#include <poplar/Type.hpp>

#include <cstdint>
#include <cstdlib>
#include <popdist/collectives.hpp>
#include <popdist/context.hpp>
#include <string>

namespace popscope::host {

namespace {

// Channels are communicators of popdist. To gather there is one for the first
// instance and each of the others: what one has to send, nobody else needs.
class PopdistInstances : public outfeed::Instances {
public:
  explicit PopdistInstances(const outfeed::ReplicaSlice &slice)
      : Instances(slice) {
    if (!popdist::isBackendInitialized()) {
      popdist::registerDefaultBackend();
      popdist::initializeBackend();
    }
    for (unsigned other = 1; other < slice.instances; ++other)
      popdist::registerCommunicator({0, other}, withFirst(other));
  }

  std::vector<std::string> gather(const std::string &bytes,
                                  const std::string &channel) override {
    const std::uint64_t size = bytes.size();
    std::vector<std::uint64_t> sizes(slice().instances);
    popdist::collectives::allGather(&size, sizes.data(), 1,
                                    poplar::UNSIGNED_LONGLONG, named(channel));
    if (!slice().isFirst()) {
      send(bytes);
      return {};
    }
    std::vector<std::string> all{bytes};
    for (unsigned other = 1; other < slice().instances; ++other)
      all.push_back(receive(other, sizes[other]));
    return all;
  }

  void broadcast(void *data, std::size_t bytes,
                 const std::string &channel) override {
    popdist::collectives::broadcast(data, bytes, poplar::UNSIGNED_CHAR, 0,
                                    named(channel));
  }

  bool any(bool here, const std::string &channel) override {
    unsigned count = unsigned(here);
    popdist::collectives::allReduceSum(&count, 1, poplar::UNSIGNED_INT,
                                       named(channel));
    return count != 0;
  }

private:
  static std::string named(const std::string &channel) {
    return "popscope." + channel;
  }
  static std::string withFirst(unsigned other) {
    return named("0-" + std::to_string(other));
  }

  void send(std::string bytes) {
    if (!bytes.empty())
      popdist::collectives::broadcast(bytes.data(), bytes.size(),
                                      poplar::UNSIGNED_CHAR, 1,
                                      withFirst(slice().instance));
  }
  std::string receive(unsigned other, std::size_t size) {
    std::string bytes(size, '\0');
    if (size != 0)
      popdist::collectives::broadcast(bytes.data(), size, poplar::UNSIGNED_CHAR,
                                      1, withFirst(other));
    return bytes;
  }
};

void refuseStrangers() {
  const char *const processes = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (processes && std::string(processes) != "1")
    throw BadInput("mpirun has started " + std::string(processes) +
                   " processes, which do not know of each other: "
                   "POPDIST_NUM_TOTAL_REPLICAS and the other variables of "
                   "poprun are missing; start them with poprun");
}

} // namespace

std::optional<outfeed::ReplicaSlice> startedSlice() {
  if (!popdist::isPopdistEnvSet()) {
    refuseStrangers();
    return std::nullopt;
  }
  try {
    return outfeed::ReplicaSlice{popdist::getNumInstances(),
                                 popdist::getInstanceIndex(),
                                 popdist::getNumTotalReplicas()};
  } catch (const popdist::popdist_error &error) {
    throw BadInput(error.what());
  }
}

std::unique_ptr<outfeed::Instances>
meetInstances(const outfeed::ReplicaSlice &slice) {
  if (!slice.isSplit())
    return std::make_unique<outfeed::SoleInstance>(slice.replicas);
  return std::make_unique<PopdistInstances>(slice);
}

} // namespace popscope::host
