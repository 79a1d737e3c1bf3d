// What the host reads, writes and connects by handles.
#include "poplar/engine/engine_impl.hpp"
#include "poplar/values/quarter.hpp"

#include <poplar/exceptions.hpp>

#include <cstring>

namespace ipumodel {

namespace {

std::uint32_t findHandle(const std::map<std::string, std::uint32_t> &handles,
                         const std::string &handle, const char *what) {
  const auto it = handles.find(handle);
  if (it == handles.end())
    throw poplar::stream_connection_error("there is no " + std::string(what) +
                                          " with the handle '" + handle + "'");
  return it->second;
}

} // namespace

const EngineImpl::HostTensor &
EngineImpl::findHostTensor(const HostTensors &tensors,
                           const std::string &handle,
                           const char *creator) const {
  const auto it = tensors.find(handle);
  if (it == tensors.end())
    throw poplar::stream_connection_error(
        "there is no tensor with the handle '" + handle + "': call " + creator +
        " before the engine is made");
  return it->second;
}

std::size_t EngineImpl::hostWriteBytes(const std::string &handle) const {
  return findHostTensor(hostWrites_, handle, "createHostWrite").bytes *
         slice_.count;
}

std::size_t EngineImpl::hostReadBytes(const std::string &handle) const {
  return findHostTensor(hostReads_, handle, "createHostRead").bytes *
         slice_.count;
}

namespace {

// As in the SDK, bytes beyond the tensor's size are ignored.
void checkRange(const std::string &handle, std::size_t have, std::size_t need) {
  if (have < need)
    throw poplar::stream_connection_error(
        "'" + handle + "': the host range has " + std::to_string(have) +
        " bytes, the tensor " + std::to_string(need));
}

} // namespace

void EngineImpl::writeTensor(const std::string &handle, const char *begin,
                             const char *end) {
  requireDeployed("writeTensor");
  checkRange(handle, static_cast<std::size_t>(end - begin),
             hostWriteBytes(handle));
  const HostTensor &tensor = hostWrites_.at(handle);
  for (std::size_t r = 0; r < state_.replicas.size(); ++r)
    tensor.copy.run(state_.replicas[r].memory.data(), begin + r * tensor.bytes,
                    state_.pool);
}

void EngineImpl::readTensor(const std::string &handle, char *begin, char *end) {
  requireDeployed("readTensor");
  checkRange(handle, static_cast<std::size_t>(end - begin),
             hostReadBytes(handle));
  const HostTensor &tensor = hostReads_.at(handle);
  for (std::size_t r = 0; r < state_.replicas.size(); ++r)
    tensor.copy.run(begin + r * tensor.bytes, state_.replicas[r].memory.data(),
                    state_.pool);
}

void EngineImpl::writeMetadata(const std::string &handle,
                               const poplar::QuarterMetadata &metadata) {
  requireDeployed("writeTensor");
  const HostTensor &tensor =
      findHostTensor(hostWrites_, handle, "createHostWrite");
  if (!tensor.metadata)
    throw poplar::tensor_metadata_error(
        "'" + handle + "': the tensor has no metadata that can be written");
  const std::uint8_t bits = metadata.getBinary();
  for (const Replica &replica : state_.replicas)
    tensor.metadata->run(replica.memory.data(),
                         reinterpret_cast<const char *>(&bits), state_.pool);
}

poplar::QuarterMetadata EngineImpl::readMetadata(const std::string &handle) {
  requireDeployed("readTensor");
  const HostTensor &tensor =
      findHostTensor(hostReads_, handle, "createHostRead");
  if (!tensor.metadata)
    throw poplar::tensor_metadata_error("'" + handle +
                                        "': the tensor has no metadata");
  std::uint8_t bits = 0;
  tensor.metadata->run(reinterpret_cast<char *>(&bits),
                       state_.replicas[0].memory.data(), state_.pool);
  return quarterMetadataFromBinary(bits);
}

StreamPort &EngineImpl::stream(const std::string &handle) {
  return state_.streams[findHandle(streams_, handle, "stream")];
}

void EngineImpl::connectHostFunction(
    const std::string &handle, unsigned replica,
    std::unique_ptr<poplar::HostCallback> callback) {
  HostFunctionPort &port =
      state_.hostFunctions[findHandle(functions_, handle, "host function")];
  if (replica >= port.replicas.size())
    throw poplar::stream_connection_error("host function '" + handle +
                                          "': there is no replica " +
                                          std::to_string(replica));
  port.replicas[replica] = std::move(callback);
}

char *EngineImpl::remoteRow(const std::string &handle, std::uint64_t row,
                            unsigned replica) {
  RemoteMemory &memory =
      state_.remoteBuffers[findHandle(remoteBuffers_, handle, "remote buffer")];
  if (row >= memory.info->repeats)
    throw poplar::index_error("remote buffer '" + handle + "': row " +
                              std::to_string(row) + " of only " +
                              std::to_string(memory.info->repeats));
  if (replica >= memory.replicas.size())
    throw poplar::index_error("remote buffer '" + handle +
                              "': there is no replica " +
                              std::to_string(replica));
  return memory.replicas[replica].data() + row * memory.rowBytes;
}

std::size_t EngineImpl::remoteRowBytes(const std::string &handle) const {
  return state_
      .remoteBuffers[findHandle(remoteBuffers_, handle, "remote buffer")]
      .rowBytes;
}

} // namespace ipumodel
