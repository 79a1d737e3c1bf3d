#include "poplar/run/stream_port.hpp"

#include "poplar/values/type_info.hpp"

#include <poplar/exceptions.hpp>

namespace ipumodel {

using poplar::ReplicatedStreamMode;
using poplar::StreamCallback;

StreamPort::StreamPort(std::shared_ptr<const StreamInfo> info,
                       unsigned numReplicas, bool mayPrefetch)
    : info_(std::move(info)), bytes_(info_->numElements * sizeOf(info_->type)),
      numReplicas_(numReplicas),
      mayPrefetch_(mayPrefetch && poplar::isHostToDevice(info_->direction)) {}

bool StreamPort::sharesData() const {
  return info_->mode == ReplicatedStreamMode::BROADCAST &&
         poplar::isHostToDevice(info_->direction);
}

void StreamPort::connect(void *data) {
  dropPrefetched();
  callbacks_.clear();
  begin_ = position_ = static_cast<char *>(data);
  end_ = nullptr;
}

void StreamPort::connect(void *begin, void *end) {
  const auto length = static_cast<char *>(end) - static_cast<char *>(begin);
  const std::size_t step = bytes_ * (sharesData() ? 1 : numReplicas_);
  const bool fits =
      step == 0 ? length == 0
                : length > 0 && static_cast<std::size_t>(length) % step == 0;
  if (!fits)
    throw poplar::stream_connection_error(
        "stream '" + info_->handle + "': a range of " + std::to_string(length) +
        " bytes is not a multiple of the " + std::to_string(step) +
        " bytes of one transfer");
  if (length == 0) {
    static char place; // an empty range may have no address
    begin = end = &place;
  }
  connect(begin);
  end_ = static_cast<char *>(end);
}

void StreamPort::connect(std::unique_ptr<StreamCallback> callback) {
  connect(0, std::move(callback));
}

void StreamPort::connect(unsigned replica,
                         std::unique_ptr<StreamCallback> callback) {
  if (replica >= numReplicas_)
    throw poplar::stream_connection_error(
        "stream '" + info_->handle + "': there is no replica " +
        std::to_string(replica) + ", only " + std::to_string(numReplicas_));
  begin_ = end_ = position_ = nullptr;
  callbacks_.resize(numReplicas_);
  Callback &port = callbacks_[replica];
  if (port.prefetched) {
    port.callback->invalidatePrefetched();
    port.prefetched = 0;
  }
  port.callback = std::move(callback);
  port.first = 0;
  port.buffers.assign((mayPrefetch_ ? info_->bufferingDepth : 0) + 1,
                      std::vector<char>(bytes_));
}

void StreamPort::dropPrefetched() {
  for (Callback &port : callbacks_)
    if (port.prefetched) {
      port.callback->invalidatePrefetched();
      port.prefetched = 0;
    }
}

void StreamPort::notConnected(unsigned replica) const {
  throw poplar::stream_connection_error(
      "stream '" + info_->handle +
      "' is used by the program but not connected" +
      (numReplicas_ > 1 ? " for replica " + std::to_string(replica)
                        : std::string()) +
      ": call connectStream or connectStreamToCallback first");
}

StreamPort::Callback &StreamPort::callbackOf(unsigned replica) {
  if (sharesData())
    replica = 0;
  if (replica >= callbacks_.size() || !callbacks_[replica].callback)
    notConnected(replica);
  return callbacks_[replica];
}

char *StreamPort::rangeOf(unsigned replica) {
  return position_ + (sharesData() ? 0 : replica * bytes_);
}

void StreamPort::advance(unsigned replica) {
  if (!end_ || replica + 1 < numReplicas_)
    return;
  position_ += bytes_ * (sharesData() ? 1 : numReplicas_);
  if (position_ == end_)
    position_ = begin_;
}

const void *StreamPort::beginRead(unsigned replica, void *place) {
  if (begin_)
    return rangeOf(replica);
  Callback &port = callbackOf(replica);
  char *const buffer = port.buffers[port.first].data();
  if (port.prefetched || (sharesData() && replica > 0))
    return buffer; // of a broadcast: fetched for replica 0
  if (!place || (sharesData() && numReplicas_ > 1))
    place = buffer;
  port.callback->fetch(place);
  return place;
}

void StreamPort::endRead(unsigned replica) {
  if (begin_) {
    advance(replica);
    return;
  }
  if (sharesData() && replica + 1 < numReplicas_)
    return;
  Callback &port = callbackOf(replica);
  if (port.prefetched) {
    --port.prefetched;
    port.first = (port.first + 1) % port.buffers.size();
  }
  port.callback->complete();
  if (mayPrefetch_)
    prefetch(port);
}

void StreamPort::prefetch(Callback &port) {
  while (port.prefetched + 1 < port.buffers.size()) {
    const std::size_t next =
        (port.first + port.prefetched) % port.buffers.size();
    if (port.callback->prefetch(port.buffers[next].data()) !=
        StreamCallback::Result::Success)
      return;
    ++port.prefetched;
  }
}

void *StreamPort::beginWrite(unsigned replica) {
  return begin_ ? rangeOf(replica) : callbackOf(replica).buffers[0].data();
}

void StreamPort::endWrite(unsigned replica) {
  if (begin_) {
    advance(replica);
    return;
  }
  Callback &port = callbackOf(replica);
  port.callback->fetch(port.buffers[0].data());
  port.callback->complete();
}

} // namespace ipumodel
