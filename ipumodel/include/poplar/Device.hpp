// Something a program can be loaded on and run.
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
// Device is empty and only good for being assigned to: its other functions
// throw poplar_error.
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
  // A device of the first tiles of each IPU; this one becomes empty.
  Device createVirtualDevice(unsigned tilesPerIPU);

  unsigned getId() const;
  const Target &getTarget() const;

  // IPUs found by DeviceManager belong to one attached Device of the process
  // at a time: attach returns false while another one holds any of its IPUs,
  // or this one is attached already. Models and CPU devices are private to
  // their Device and always attach.
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
