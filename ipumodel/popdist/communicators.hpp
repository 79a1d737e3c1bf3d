// The backend of this process and the channels over it.
#pragma once

#include "poplar/instances/instance_channel.hpp"

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace ipumodel {

struct Communicator {
  explicit Communicator(InstanceChannel channel)
      : channel(std::move(channel)) {}
  std::mutex mutex; // held during an exchange
  InstanceChannel channel;
};

// Throws popdist_error unless the backend is initialised and this instance is a
// participant.
Communicator &communicator(const std::string &id);

// The reserved link of engines, for which the default backend is started if no
// other was.
std::shared_ptr<InstanceLink> linkOfEngines();

} // namespace ipumodel
