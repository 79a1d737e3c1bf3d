// The state of a poplar::Device: its id, its target and its IPUs.
#pragma once

#include <poplar/Device.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace ipumodel {

struct DeviceState {
  unsigned id;
  poplar::Target target;
  // Indices of the system's IPUs; empty for a private device (IPU_MODEL or
  // CPU), which shares nothing with others.
  std::vector<unsigned> ipus;
  bool attached = false;

  DeviceState(unsigned id, poplar::Target target, std::vector<unsigned> ipus)
      : id(id), target(std::move(target)), ipus(std::move(ipus)) {}
  DeviceState(const DeviceState &) = delete;
  DeviceState &operator=(const DeviceState &) = delete;
  ~DeviceState() { detach(); }

  bool attach();
  void detach();
};

struct DeviceAccess {
  static poplar::Device make(std::unique_ptr<DeviceState> state) {
    return poplar::Device(std::move(state));
  }
};

// A device that no DeviceManager finds. If `id` is the largest number, it gets
// a unique id.
poplar::Device makePrivateDevice(poplar::Target target, unsigned id);

} // namespace ipumodel
