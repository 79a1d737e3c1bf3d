// A device that can load and run a program.
#pragma once

#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ipumodel {
struct DeviceAccess;
struct DeviceState;
} // namespace ipumodel

namespace poplar {

// Move-only; destroying an attached device detaches it. A default-constructed
// Device is empty: it can only be assigned to, all else throws poplar_error.
class Device {
public:
  Device();
  Device(Device &&other) noexcept;
  Device &operator=(Device &&other) noexcept;
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  ~Device();

  static Device createCPUDevice(unsigned numIPUs = 1);
  // Always throws no_environment: there is no simulator.
  static Device createSimulatorDevice(const Target &target,
                                      const OptionFlags &options = {});
  // A device with the first tiles of each IPU; this one becomes empty.
  Device createVirtualDevice(unsigned tilesPerIPU);

  unsigned getId() const;
  const Target &getTarget() const;

  // An IPU found by DeviceManager can be attached by one Device of this process
  // at a time: attach returns false if any of its IPUs is in use, or if this
  // device is attached already. Models and CPU devices are not shared and
  // always attach.
  bool attach() const;
  void detach() const;
  bool isAttached() const;
  void reset() const;

  bool supportsRemoteBuffers() const;
  bool hasGateway() const;
  void getDriverVersion(unsigned &major, unsigned &minor,
                        unsigned &point) const;
  std::vector<unsigned> getDriverIDs() const;
  std::map<std::string, std::string> getAttributes() const;

private:
  friend struct ::ipumodel::DeviceAccess;
  explicit Device(std::unique_ptr<ipumodel::DeviceState> state);
  ipumodel::DeviceState &state() const;

  std::unique_ptr<ipumodel::DeviceState> state_;
};

} // namespace poplar
