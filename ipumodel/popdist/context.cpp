#include <cstdlib>
#include <optional>
#include <popdist/context.hpp>
#include <string>

namespace popdist {

namespace {

constexpr const char *kTotal = "POPDIST_NUM_TOTAL_REPLICAS";
constexpr const char *kLocal = "POPDIST_NUM_LOCAL_REPLICAS";
constexpr const char *kOffset = "POPDIST_REPLICA_INDEX_OFFSET";
constexpr const char *kIpus = "POPDIST_NUM_IPUS_PER_REPLICA";
constexpr const char *kUniform = "POPDIST_UNIFORM_REPLICAS_PER_INSTANCE";
constexpr const char *kLocalInstance = "POPDIST_LOCAL_INSTANCE_INDEX";

std::optional<unsigned> valueOf(const char *variable) {
  const char *const text = std::getenv(variable);
  if (!text)
    return std::nullopt;
  const std::string digits = text;
  if (digits.empty() || digits.size() > 9 ||
      digits.find_first_not_of("0123456789") != digits.npos)
    throw popdist_error(std::string(variable) + " cannot be '" + digits +
                        "'; use a number that is not negative");
  return static_cast<unsigned>(std::stoul(digits));
}

unsigned positive(const char *variable) {
  const unsigned value = valueOf(variable).value_or(1);
  if (value == 0)
    throw popdist_error(std::string(variable) + " cannot be 0");
  return value;
}

} // namespace

bool isPopdistEnvSet() { return std::getenv(kTotal) != nullptr; }

unsigned getNumTotalReplicas() { return positive(kTotal); }

unsigned getNumLocalReplicas() {
  const unsigned local = positive(kLocal);
  if (local > getNumTotalReplicas())
    throw popdist_error(std::string(kLocal) + " is " + std::to_string(local) +
                        ", but " + kTotal + " is only " +
                        std::to_string(getNumTotalReplicas()));
  return local;
}

unsigned getReplicaIndexOffset() {
  const unsigned offset = valueOf(kOffset).value_or(0);
  if (offset + getNumLocalReplicas() > getNumTotalReplicas())
    throw popdist_error(std::string(kOffset) + " is " + std::to_string(offset) +
                        ": with " + std::to_string(getNumLocalReplicas()) +
                        " local replicas that is beyond the " +
                        std::to_string(getNumTotalReplicas()) + " of " +
                        kTotal);
  return offset;
}

unsigned getNumIpusPerReplica() { return positive(kIpus); }

unsigned getLocalInstanceIndex() { return valueOf(kLocalInstance).value_or(0); }

unsigned getNumInstances() {
  const unsigned total = getNumTotalReplicas(), local = getNumLocalReplicas();
  if (valueOf(kUniform).value_or(1) == 0 || total % local != 0)
    throw popdist_error(
        "instances can be counted only if all have the same number of "
        "replicas: see " +
        std::string(kUniform) + ", " + kTotal + " and " + kLocal);
  return total / local;
}

unsigned getInstanceIndex() {
  getNumInstances(); // checks
  if (getReplicaIndexOffset() % getNumLocalReplicas() != 0)
    throw popdist_error(std::string(kOffset) + " is " +
                        std::to_string(getReplicaIndexOffset()) +
                        ", not a multiple of " + kLocal);
  return getReplicaIndexOffset() / getNumLocalReplicas();
}

bool checkNumIpusPerReplica(unsigned expected) {
  return getNumIpusPerReplica() == expected;
}

} // namespace popdist
