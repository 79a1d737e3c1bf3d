#include "poplar/graph/graph_impl.hpp"
#include "poplar/values/debug_access.hpp"

#include <poplar/Graph.hpp>

namespace poplar {

using ipumodel::GraphBuilding;
using ipumodel::GraphData;
using ipumodel::GraphImpl;
using ipumodel::implOf;

namespace {

std::shared_ptr<GraphImpl> makeGraph(const Target &target, unsigned replicas) {
  const unsigned numIPUs = target.getNumIPUs();
  if (replicas == 0 || numIPUs % replicas != 0)
    throw graph_replication_error(
        "the target has " + std::to_string(numIPUs) +
        " IPUs, which cannot be shared by a replication factor of " +
        std::to_string(replicas));
  auto data = std::make_shared<GraphData>();
  data->target = replicas == 1
                     ? target
                     : target.createVirtualTarget(numIPUs / replicas,
                                                  target.getTilesPerIPU());
  data->replicationFactor = replicas;
  const Target ofOneReplica = data->target;
  return std::make_shared<GraphImpl>(
      std::move(data), std::make_shared<GraphBuilding>(), ofOneReplica,
      std::vector<ipumodel::TileId>());
}

} // namespace

// "<SDK release with this API> (<package>)", the SDK's format.
StringRef versionString() {
  return IPUMODEL_API_VERSION " (" IPUMODEL_PACKAGE ")";
}
StringRef packageHash() { return IPUMODEL_PACKAGE; }

Graph::Graph() = default;
Graph::Graph(const Target &target, replication_factor r)
    : impl_(makeGraph(target, r.value)) {}
Graph::Graph(const Device &device, replication_factor r)
    : Graph(device.getTarget(), r) {}
Graph::Graph(std::shared_ptr<GraphImpl> impl) : impl_(std::move(impl)) {}
Graph::Graph(Graph &&) noexcept = default;
Graph &Graph::operator=(Graph &&) noexcept = default;
Graph::~Graph() = default;

const Target &Graph::getTarget() const { return implOf(*this).target; }

unsigned Graph::getReplicationFactor() const {
  return implOf(*this).data->replicationFactor;
}

ComputeSet Graph::addComputeSet(const DebugContext &debugContext) {
  auto &computeSets = implOf(*this).data->computeSets;
  computeSets.push_back(
      {ipumodel::pathOf(debugContext), ipumodel::locationOf(debugContext), {}});
  return ComputeSet(static_cast<unsigned>(computeSets.size() - 1));
}

unsigned Graph::getNumVertices() const {
  return static_cast<unsigned>(implOf(*this).data->vertices.size());
}

// A program is immutable once added, so holding its node is enough.
Function Graph::addFunction(const program::Program &program) {
  auto &functions = implOf(*this).data->functions;
  functions.push_back({program.getImpl()});
  return Function(static_cast<unsigned>(functions.size() - 1));
}

FunctionBuffer Graph::addFunctionBuffer(const Function &function,
                                        FunctionBufferMappingType) {
  if (function.getId() >= implOf(*this).data->functions.size())
    throw poplar_error(
        "addFunctionBuffer: the function does not belong to this graph");
  return FunctionBuffer(function.getId());
}

} // namespace poplar
