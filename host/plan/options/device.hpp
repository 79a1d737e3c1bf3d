// The device that a training runs on.
#pragma once

#include <poplar/Device.hpp>
#include <poplar/Target.hpp>

#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

enum class DeviceChoice {
  automatic, // IPUs if enough can be attached, else the model
  ipu,
  model
};

struct DeviceNeeds {
  unsigned ipus = 1;
  std::optional<unsigned> tiles; // of each IPU; absent: all
  // Those that PopRun has set aside for this instance.
  bool areOfInstance = false;
};

// Returns an attached device. Throws BadInput if IPUs were asked for and cannot
// be attached, or if an IPU has fewer tiles.
poplar::Device openDevice(DeviceChoice choice, const DeviceNeeds &needs);

// The same without attaching: what a program is compiled for, if so many
// instances run it, each with these needs. IPUs that were asked for, or that
// PopRun sets aside except offline, need not be there. Throws BadInput
// likewise.
poplar::Target chooseTarget(DeviceChoice choice, const DeviceNeeds &needs,
                            unsigned instances);

// The target of a program that so many instances run, each on such a device.
poplar::Target targetOfAll(const poplar::Target &target, unsigned instances);

// A value of --device, and what it would use now.
struct DeviceOffer {
  std::string name;
  bool isUsable = false;
  std::string what; // or why it cannot be used, and the remedy
};

// Attaches a free IPU for a moment, to know that it can.
std::vector<DeviceOffer> deviceOffers();

// In words, for the first lines of output: "IPU model, 2 IPUs of 1472 tiles".
std::string describe(const poplar::Device &device);
std::string describe(const poplar::Target &target);

} // namespace popscope::host
