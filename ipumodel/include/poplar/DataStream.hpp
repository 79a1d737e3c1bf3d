// Handles to the channels between host and device.
#pragma once

#include <poplar/DataStreamType.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace ipumodel {
struct RemoteBufferInfo;
struct StreamInfo;
} // namespace ipumodel

namespace poplar {

// A FIFO; one Copy moves numElements() elements per replica.
class DataStream {
public:
  DataStream() = default;
  explicit DataStream(std::shared_ptr<const ipumodel::StreamInfo> info)
      : info_(std::move(info)) {}
  std::string handle() const;
  std::size_t numElements() const;
  unsigned replicationFactor() const;
  ReplicatedStreamMode replicatedMode() const;
  DataStreamType type() const;
  Type elementType() const;

private:
  friend struct ipumodel::StreamInfo;
  std::shared_ptr<const ipumodel::StreamInfo> info_;
};

// `getRepeats()` rows of `numElements()` elements, kept in host memory.
class RemoteBuffer {
public:
  RemoteBuffer() = default;
  explicit RemoteBuffer(std::shared_ptr<const ipumodel::RemoteBufferInfo> info)
      : info_(std::move(info)) {}
  std::string handle() const;
  DataStream getIpuToHostStream() const;
  DataStream getHostToIpuStream() const;
  std::size_t numElements() const;
  std::size_t getRepeats() const;
  Type elementType() const;
  bool isRearrangeOnHost() const;
  bool isOptimisedForMemory() const;
  bool operator==(const RemoteBuffer &other) const {
    return info_ == other.info_;
  }
  bool operator!=(const RemoteBuffer &other) const {
    return info_ != other.info_;
  }

private:
  friend struct ipumodel::RemoteBufferInfo;
  std::shared_ptr<const ipumodel::RemoteBufferInfo> info_;
};

} // namespace poplar
