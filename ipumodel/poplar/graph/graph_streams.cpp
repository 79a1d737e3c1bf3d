#include "poplar/graph/tensor_checks.hpp"
#include "poplar/options/engine_options.hpp"
#include "poplar/values/type_info.hpp"

#include <poplar/DataStream.hpp>
#include <poplar/Graph.hpp>

#include <algorithm>

namespace poplar {

using ipumodel::GraphData;
using ipumodel::GraphImpl;
using ipumodel::HostAccess;
using ipumodel::HostFunctionInfo;
using ipumodel::implOf;
using ipumodel::RemoteBufferInfo;
using ipumodel::StreamInfo;
using ipumodel::TensorData;

namespace {

// FIFOs and remote buffers share one namespace.
void checkHandleIsNew(const GraphData &graph, const std::string &handle,
                      const char *use) {
  const auto same = [&](const auto &info) { return info->handle == handle; };
  if (std::any_of(graph.streams.begin(), graph.streams.end(), same) ||
      std::any_of(graph.remoteBuffers.begin(), graph.remoteBuffers.end(), same))
    throw poplar_error(std::string(use) +
                       ": there is a stream or remote "
                       "buffer '" +
                       handle + "' already");
}

DataStream addFIFO(GraphImpl &impl, const char *use, StringRef handle,
                   Type type, std::size_t numElements, DataStreamType direction,
                   ReplicatedStreamMode mode, const OptionFlags &options) {
  GraphData &graph = *impl.data;
  checkHandleIsNew(graph, handle, use);
  ipumodel::infoOf(type); // throws if it is none
  const auto settings = ipumodel::resolveStreamOptions(options);
  graph.streams.push_back(std::make_shared<StreamInfo>(
      StreamInfo{static_cast<std::uint32_t>(graph.streams.size()), handle, type,
                 numElements, direction, mode, graph.replicationFactor,
                 static_cast<unsigned>(settings.bufferingDepth)}));
  return DataStream(graph.streams.back());
}

void addHostAccess(std::vector<HostAccess> &accesses, StringRef handle,
                   const Tensor &t, const char *use) {
  const std::string name = handle;
  for (const HostAccess &access : accesses)
    if (access.handle == name)
      throw poplar_error(std::string(use) + ": handle '" + name +
                         "' is taken by tensor " + describe(*access.tensor));
  accesses.push_back({name, t.getImpl()});
}

DataStream asStream(const RemoteBufferInfo &buffer, DataStreamType direction) {
  return DataStream(std::make_shared<StreamInfo>(StreamInfo{
      buffer.id, buffer.handle, buffer.type, buffer.numElements, direction,
      ReplicatedStreamMode::REPLICATE, buffer.replicationFactor, 1}));
}

} // namespace

void Graph::createHostWrite(StringRef handle, const Tensor &t, bool) {
  GraphImpl &impl = implOf(*this);
  const TensorData &data = impl.check(t, "createHostWrite");
  if (!ipumodel::isWriteable(*impl.data, data.view))
    throw tensor_io_state_error(
        ipumodel::prefixOf(data) + "createHostWrite '" + handle + "': tensor " +
        describe(data) +
        " is not parallel writeable: it contains constants, or elements more "
        "than once");
  addHostAccess(impl.data->hostWrites, handle, t, "createHostWrite");
}

void Graph::createHostRead(StringRef handle, const Tensor &t, bool) {
  GraphImpl &impl = implOf(*this);
  impl.check(t, "createHostRead");
  addHostAccess(impl.data->hostReads, handle, t, "createHostRead");
}

DataStream Graph::addHostToDeviceFIFO(StringRef handle, const Type &elementType,
                                      std::size_t numElements,
                                      ReplicatedStreamMode mode,
                                      const OptionFlags &options) {
  return addFIFO(implOf(*this), "addHostToDeviceFIFO", handle, elementType,
                 numElements, DataStreamType::HostToDeviceFIFO, mode, options);
}

DataStream Graph::addDeviceToHostFIFO(StringRef handle, const Type &elementType,
                                      std::size_t numElements,
                                      const OptionFlags &options) {
  return addFIFO(implOf(*this), "addDeviceToHostFIFO", handle, elementType,
                 numElements, DataStreamType::DeviceToHostFIFO,
                 ReplicatedStreamMode::REPLICATE, options);
}

RemoteBuffer Graph::addRemoteBuffer(StringRef handle, const Type &elementType,
                                    std::size_t numElements,
                                    std::size_t repeats, bool rearrangeOnHost,
                                    bool optimiseMemory) {
  GraphData &graph = *implOf(*this).data;
  checkHandleIsNew(graph, handle, "addRemoteBuffer");
  ipumodel::infoOf(elementType); // throws if it is none
  graph.remoteBuffers.push_back(std::make_shared<RemoteBufferInfo>(
      RemoteBufferInfo{static_cast<std::uint32_t>(graph.remoteBuffers.size()),
                       handle, elementType, numElements, repeats,
                       graph.replicationFactor, rearrangeOnHost,
                       optimiseMemory}));
  return RemoteBuffer(graph.remoteBuffers.back());
}

HostFunction Graph::addHostFunction(StringRef handle,
                                    ArrayRef<HostFunctionArgument> inputs,
                                    ArrayRef<HostFunctionArgument> outputs) {
  auto &functions = implOf(*this).data->hostFunctions;
  HostFunctionInfo added{handle, {}, {}};
  for (const HostFunctionInfo &other : functions)
    if (other.handle == added.handle)
      throw poplar_error("addHostFunction: there is a host function '" +
                         handle + "' already");
  for (const HostFunctionArgument &input : inputs)
    added.inputs.push_back({std::get<0>(input), std::get<1>(input)});
  for (const HostFunctionArgument &output : outputs)
    added.outputs.push_back({std::get<0>(output), std::get<1>(output)});
  functions.push_back(std::move(added));
  return HostFunction(static_cast<unsigned>(functions.size() - 1));
}

std::string DataStream::handle() const { return StreamInfo::of(*this).handle; }
std::size_t DataStream::numElements() const {
  return StreamInfo::of(*this).numElements;
}
unsigned DataStream::replicationFactor() const {
  return StreamInfo::of(*this).replicationFactor;
}
ReplicatedStreamMode DataStream::replicatedMode() const {
  return StreamInfo::of(*this).mode;
}
DataStreamType DataStream::type() const {
  return StreamInfo::of(*this).direction;
}
Type DataStream::elementType() const { return StreamInfo::of(*this).type; }

std::string RemoteBuffer::handle() const {
  return RemoteBufferInfo::of(*this).handle;
}
DataStream RemoteBuffer::getIpuToHostStream() const {
  return asStream(RemoteBufferInfo::of(*this),
                  DataStreamType::DeviceToHostBuffer);
}
DataStream RemoteBuffer::getHostToIpuStream() const {
  return asStream(RemoteBufferInfo::of(*this),
                  DataStreamType::HostToDeviceBuffer);
}
std::size_t RemoteBuffer::numElements() const {
  return RemoteBufferInfo::of(*this).numElements;
}
std::size_t RemoteBuffer::getRepeats() const {
  return RemoteBufferInfo::of(*this).repeats;
}
Type RemoteBuffer::elementType() const {
  return RemoteBufferInfo::of(*this).type;
}
bool RemoteBuffer::isRearrangeOnHost() const {
  return RemoteBufferInfo::of(*this).rearrangeOnHost;
}
bool RemoteBuffer::isOptimisedForMemory() const {
  return RemoteBufferInfo::of(*this).optimiseMemory;
}

} // namespace poplar
