// Finds the IPUs of this machine.
#pragma once

#include <poplar/Device.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/TargetType.hpp>

#include <cstddef>
#include <vector>

namespace poplar {

// There are no IPUs unless the environment variable IPUMODEL_DEVICES asks for
// modelled ones: a number of IPUs, optionally followed by their architecture
// and tiles per IPU, as in "4", "2:ipu1" or "2:ipu2:16". The constructor throws
// invalid_option for a malformed value.
//
// With n IPUs, the devices 0 to n-1 are single IPUs; then come all pairs of
// neighbours, all groups of four, and so on.
class DeviceManager {
public:
  DeviceManager();
  static DeviceManager createDeviceManager();

  std::size_t getNumDevices() const;
  std::vector<Device> getDevices(const OptionFlags &options = {}) const;
  // Finds IPUs only: IPUModel and Device::createCPUDevice create the other
  // devices.
  std::vector<Device> getDevices(TargetType type, unsigned requiredNumIPUs,
                                 const OptionFlags &options = {}) const;
  // Throws poplar_error if there is no such device.
  Device getDevice(unsigned deviceManagerId,
                   const OptionFlags &options = {}) const;
  // The devices of that many IPUs that are part of a larger one.
  std::vector<unsigned>
  getChildDeviceIds(unsigned parentId, unsigned numChildDeviceIpus = 1) const;

private:
  // A device is `size` neighbouring IPUs starting at `first`.
  struct IpuSet {
    unsigned first;
    unsigned size;
  };
  const IpuSet &find(unsigned id) const;
  Device makeDevice(unsigned id, const OptionFlags &options) const;

  Target ipu_; // one IPU
  std::vector<IpuSet> sets_;
};

} // namespace poplar
