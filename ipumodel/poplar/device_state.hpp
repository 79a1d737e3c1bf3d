// What a poplar::Device is: an id, a target and the IPUs it stands for.
#pragma once

#include <poplar/Device.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace ipumodel {

struct DeviceState {
  unsigned id;
  poplar::Target target;
  // Numbers of the machine's IPUs, empty for a device of its own (IPU_MODEL or
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

// A device that is found by no DeviceManager. Without an id (the largest
// number) it gets one that no other device has.
poplar::Device makePrivateDevice(poplar::Target target, unsigned id);

} // namespace ipumodel
