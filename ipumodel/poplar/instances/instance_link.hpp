// How the instances of a program reach each other. An instance is a process
// that runs a slice of the program's replicas.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

namespace ipumodel {

struct OutgoingBlock {
  unsigned instance; // that gets it
  const void *data;
  std::size_t bytes;
};

struct IncomingBlock {
  unsigned instance; // that sends it
  void *data;
  std::size_t bytes; // the room for it; after the transfer, what arrived
};

// Moves bytes and checks nothing; see InstanceChannel. One thread at a time.
class InstanceLink {
public:
  using Deadline = std::chrono::steady_clock::time_point;

  InstanceLink() = default;
  InstanceLink(const InstanceLink &) = delete;
  InstanceLink &operator=(const InstanceLink &) = delete;
  virtual ~InstanceLink() = default;

  virtual unsigned numInstances() const = 0;
  virtual unsigned index() const = 0; // of this instance
  // What an instance is called in messages, where the link is of some only.
  virtual unsigned numberOf(unsigned instance) const { return instance; }

  // Sends and receives all blocks, none of them to or from this instance. From
  // one instance to another, the k-th block sent is the k-th received. Returns
  // the instances that had not done their part at the deadline, in ascending
  // order; unless there are none, the link cannot be used any more. A block
  // larger than the room for it is an error of the caller.
  virtual std::vector<unsigned>
  transfer(const std::vector<OutgoingBlock> &outgoing,
           std::vector<IncomingBlock> &incoming, Deadline deadline) = 0;
};

// The link that engines use. It is given by libpopdist, which is loaded if the
// program has not done so; throws if that cannot be.
std::shared_ptr<InstanceLink> engineLink();
using EngineLinkProvider = std::shared_ptr<InstanceLink> (*)();
void setEngineLinkProvider(EngineLinkProvider provider);

} // namespace ipumodel
