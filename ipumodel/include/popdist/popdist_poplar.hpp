// The device of this instance.
#pragma once

#include <popdist/context.hpp>

namespace popdist {

// An id for poplar::DeviceManager::getDevice: a device with the IPUs of the
// local replicas. 0 means as many IPUs per replica as PopRun was told.
int getDeviceId(unsigned ipusPerReplica = 0);

} // namespace popdist
