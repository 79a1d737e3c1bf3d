// The host's end of a stream: a pointer, a circular range or callbacks.
#pragma once

#include "poplar/graph/graph_data.hpp"

#include <poplar/StreamCallback.hpp>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace ipumodel {

class StreamPort {
public:
  StreamPort(std::shared_ptr<const StreamInfo> info, unsigned numReplicas,
             bool mayPrefetch);

  const StreamInfo &info() const { return *info_; }
  std::size_t transferBytes() const { return bytes_; } // of one replica

  void connect(void *data);
  void connect(void *begin, void *end);
  // Without a replica: replica 0, or all of them for a broadcast stream.
  void connect(std::unique_ptr<poplar::StreamCallback> callback);
  void connect(unsigned replica,
               std::unique_ptr<poplar::StreamCallback> callback);
  // Discards prefetched data and notifies the callbacks.
  void dropPrefetched();

  // Host to device, called for all replicas in order: the data of the transfer,
  // valid until the next call for any replica. With a `place` for them, a
  // callback may write there, and that is then the result.
  const void *beginRead(unsigned replica, void *place = nullptr);
  void endRead(unsigned replica);
  // Device to host: where to write the data, and notification that they are
  // there.
  void *beginWrite(unsigned replica);
  void endWrite(unsigned replica);

private:
  struct Callback {
    std::unique_ptr<poplar::StreamCallback> callback;
    std::vector<std::vector<char>> buffers; // bufferingDepth plus one in use
    std::size_t first = 0;                  // oldest prefetched buffer
    std::size_t prefetched = 0;
  };

  bool sharesData() const; // all replicas read the same data
  Callback &callbackOf(unsigned replica);
  char *rangeOf(unsigned replica);
  void advance(unsigned replica);
  void prefetch(Callback &port);
  [[noreturn]] void notConnected(unsigned replica) const;

  std::shared_ptr<const StreamInfo> info_;
  std::size_t bytes_;
  unsigned numReplicas_; // of this instance
  bool mayPrefetch_;
  char *begin_ = nullptr; // of the connected memory; if circular, with end_
  char *end_ = nullptr;
  char *position_ = nullptr;
  std::vector<Callback> callbacks_; // by replica; empty if none is connected
};

} // namespace ipumodel
