#include <poplar/DeviceManager.hpp>

#include <popdist/popdist_poplar.hpp>
#include <string>

namespace popdist {

int getDeviceId(unsigned ipusPerReplica) {
  if (ipusPerReplica == 0)
    ipusPerReplica = getNumIpusPerReplica();
  const unsigned ipus = getNumLocalReplicas() * ipusPerReplica;
  const auto devices = poplar::DeviceManager::createDeviceManager().getDevices(
      poplar::TargetType::IPU, ipus);
  if (devices.empty())
    throw popdist_error("there is no device of " + std::to_string(ipus) +
                        " IPUs: devices have 1, 2, 4, 8 and so on of those in "
                        "IPUMODEL_DEVICES, which poprun sets");
  return static_cast<int>(devices.front().getId());
}

} // namespace popdist
