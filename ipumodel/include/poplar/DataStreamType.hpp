// Kinds of connection between host and device.
#pragma once

#include <poplar/ReplicatedStreamMode.hpp>

namespace poplar {

enum class DataStreamType {
  HostToDeviceFIFO,
  DeviceToHostFIFO,
  HostToDeviceBuffer,
  DeviceToHostBuffer
};

bool isDeviceToHost(DataStreamType type);
bool isHostToDevice(DataStreamType type);
bool isRemoteBuffer(DataStreamType type);

} // namespace poplar
