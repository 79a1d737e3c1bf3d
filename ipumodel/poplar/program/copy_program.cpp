#include "poplar/graph/tensor_checks.hpp"
#include "poplar/program/program_checks.hpp"
#include "poplar/values/type_info.hpp"

#include <poplar/Program.hpp>

#include <vector>

using ipumodel::ProgramContext;
using ipumodel::ProgramNode;
using ipumodel::RemoteBufferInfo;
using ipumodel::StreamInfo;
using ipumodel::TensorPtr;
using Kind = ipumodel::ProgramNode::Kind;

namespace ipumodel {

const StreamInfo &StreamInfo::of(const poplar::DataStream &stream) {
  if (!stream.info_)
    throw poplar::stream_connection_error("a default-constructed data stream");
  return *stream.info_;
}

const RemoteBufferInfo &
RemoteBufferInfo::of(const poplar::RemoteBuffer &buffer) {
  if (!buffer.info_)
    throw poplar::stream_connection_error(
        "a default-constructed remote buffer");
  return *buffer.info_;
}

} // namespace ipumodel

namespace poplar {
namespace program {

namespace {

std::string describeChannel(const char *kind, const std::string &handle,
                            Type type, std::size_t numElements) {
  return std::string(kind) + " '" + handle + "' of " +
         std::to_string(numElements) + " elements of type " +
         std::string(ipumodel::infoOf(type).name);
}

template <class Info>
bool contains(const std::vector<std::shared_ptr<const Info>> &infos,
              const Info &info) {
  return info.id < infos.size() && infos[info.id].get() == &info;
}

std::shared_ptr<ProgramNode> makeStreamCopy(Kind kind, const StreamInfo &stream,
                                            const TensorPtr &tensor,
                                            const ProgramContext &context) {
  const auto both = [&] {
    return describeChannel("stream", stream.handle, stream.type,
                           stream.numElements) +
           ", tensor " + describe(*tensor);
  };
  if (!contains(tensor->graph->streams, stream))
    context.fail<graph_connection_error>(
        "stream and tensor of different graphs: " + both());
  if (isHostToDevice(stream.direction) != (kind == Kind::streamToTensor))
    context.fail<graph_connection_error>("the stream goes the other way: " +
                                         both());
  if (stream.type != tensor->type)
    context.fail<type_error>("element types differ: " + both());
  if (stream.numElements != tensor->view.numElements())
    context.fail<graph_connection_error>("element counts differ: " + both());
  auto node = context.makeNode(kind);
  node->id = stream.id;
  node->graph = tensor->graph;
  node->tensors = {tensor};
  return node;
}

// `offset` is null for the first row of the buffer.
std::shared_ptr<ProgramNode> makeRemoteCopy(Kind kind,
                                            const RemoteBufferInfo &buffer,
                                            const TensorPtr &tensor,
                                            const TensorPtr &offset,
                                            const ProgramContext &context) {
  const auto both = [&] {
    return describeChannel("remote buffer", buffer.handle, buffer.type,
                           buffer.numElements) +
           ", tensor " + describe(*tensor);
  };
  if (!contains(tensor->graph->remoteBuffers, buffer))
    context.fail<graph_connection_error>(
        "remote buffer and tensor of different graphs: " + both());
  if (buffer.type != tensor->type)
    context.fail<type_error>("element types differ: " + both());
  std::size_t rows = 1;
  if (offset) {
    if (offset->graph != tensor->graph)
      context.fail<graph_connection_error>(
          "tensor and offset of different graphs: " + both());
    if (offset->type != UNSIGNED_INT && offset->type != INT)
      context.fail<type_error>("the offset " + describe(*offset) +
                               " is neither unsigned int nor int");
    rows = offset->view.numElements();
  }
  if (rows * buffer.numElements != tensor->view.numElements())
    context.fail<graph_connection_error>("the tensor does not hold " +
                                         std::to_string(rows) +
                                         " rows of the buffer: " + both());
  auto node = context.makeNode(kind);
  node->id = buffer.id;
  node->graph = tensor->graph;
  node->tensors = {tensor};
  if (offset)
    node->tensors.push_back(offset);
  return node;
}

// Destination by source: a permutation in which no replica copies to itself.
std::vector<std::uint32_t>
checkReplicaMap(const std::map<unsigned, unsigned> &replicaMap,
                unsigned numReplicas, const ProgramContext &context) {
  if (replicaMap.size() != numReplicas)
    context.fail<graph_replication_error>(
        "the map has " + std::to_string(replicaMap.size()) + " sources for " +
        std::to_string(numReplicas) + " replicas");
  std::vector<std::uint32_t> map(numReplicas);
  std::vector<bool> isDestination(numReplicas);
  for (const auto &[from, to] : replicaMap) {
    const std::string pair =
        " in " + std::to_string(from) + " -> " + std::to_string(to);
    if (from >= numReplicas || to >= numReplicas)
      context.fail<graph_replication_error>("no such replica" + pair);
    if (from == to)
      context.fail<graph_replication_error>("a copy to itself" + pair);
    if (isDestination[to])
      context.fail<graph_replication_error>("a second source" + pair);
    isDestination[to] = true;
    map[from] = to;
  }
  return map;
}

} // namespace

// NOLINTBEGIN(performance-unnecessary-value-param): Poplar passes tensors by
// value.

Copy::Copy(Tensor src, Tensor dst, bool, const DebugContext &debugContext) {
  const ProgramContext context{"Copy", debugContext};
  const TensorPtr from = context.requireValid(src, "source");
  const TensorPtr to = context.requireValid(dst, "destination");
  context.requireMatch(*from, *to);
  context.requireWriteable(dst, "destination");
  node_ = context.makeNode(Kind::copy);
  node_->tensors = {from, to};
}

Copy::Copy(const DataStream &stream, Tensor dst, bool,
           const DebugContext &debugContext) {
  const ProgramContext context{"Copy", debugContext};
  node_ = makeStreamCopy(Kind::streamToTensor, StreamInfo::of(stream),
                         context.requireWriteable(dst, "destination"), context);
}

Copy::Copy(Tensor src, const DataStream &stream, bool,
           const DebugContext &debugContext) {
  const ProgramContext context{"Copy", debugContext};
  node_ = makeStreamCopy(Kind::tensorToStream, StreamInfo::of(stream),
                         context.requireValid(src, "source"), context);
}

Copy::Copy(const RemoteBuffer &buffer, Tensor dst,
           const DebugContext &debugContext) {
  const ProgramContext context{"Copy", debugContext};
  node_ = makeRemoteCopy(Kind::remoteToTensor, RemoteBufferInfo::of(buffer),
                         context.requireWriteable(dst, "destination"), nullptr,
                         context);
}

Copy::Copy(const RemoteBuffer &buffer, Tensor dst, Tensor offset,
           const DebugContext &debugContext) {
  const ProgramContext context{"Copy", debugContext};
  node_ = makeRemoteCopy(Kind::remoteToTensor, RemoteBufferInfo::of(buffer),
                         context.requireWriteable(dst, "destination"),
                         context.requireValid(offset, "offset"), context);
}

Copy::Copy(Tensor src, const RemoteBuffer &buffer,
           const DebugContext &debugContext) {
  const ProgramContext context{"Copy", debugContext};
  node_ = makeRemoteCopy(Kind::tensorToRemote, RemoteBufferInfo::of(buffer),
                         context.requireValid(src, "source"), nullptr, context);
}

Copy::Copy(Tensor src, const RemoteBuffer &buffer, Tensor offset,
           const DebugContext &debugContext) {
  const ProgramContext context{"Copy", debugContext};
  node_ = makeRemoteCopy(Kind::tensorToRemote, RemoteBufferInfo::of(buffer),
                         context.requireValid(src, "source"),
                         context.requireValid(offset, "offset"), context);
}

Copy::Copy(const FunctionBuffer &, const Function &function,
           const DebugContext &debugContext) {
  node_ =
      ProgramContext{"Copy", debugContext}.makeNode(Kind::functionBufferLoad);
  node_->id = function.getId();
}

CrossReplicaCopy::CrossReplicaCopy(Tensor src, Tensor dst,
                                   std::map<unsigned, unsigned> replicaMap,
                                   const DebugContext &debugContext) {
  const ProgramContext context{"CrossReplicaCopy", debugContext};
  const TensorPtr from = context.requireValid(src, "source");
  const TensorPtr to = context.requireValid(dst, "destination");
  context.requireMatch(*from, *to);
  context.requireWriteable(dst, "destination");
  node_ = context.makeNode(Kind::crossReplicaCopy);
  node_->tensors = {from, to};
  node_->replicaMap =
      checkReplicaMap(replicaMap, from->graph->replicationFactor, context);
}

// NOLINTEND(performance-unnecessary-value-param)

} // namespace program
} // namespace poplar
