// Picks the device to run on.
#pragma once

#include <poplar/Device.hpp>

#include <string>

namespace popscope::host {

enum class DeviceChoice {
  automatic, // an IPU if one can be attached, else the model
  ipu,
  model
};

// Returns an attached device with one IPU. Throws BadInput if an IPU was asked
// for and none is free.
poplar::Device openDevice(DeviceChoice choice);

// In words, for the first lines of output: "IPU model, 1472 tiles".
std::string describe(const poplar::Device &device);

} // namespace popscope::host
