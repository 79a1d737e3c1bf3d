#include "graph/taps/fault.hpp"

#include <stdexcept>
#include <string>

namespace popscope::graph {

namespace {

void check(const poplar::Tensor &tensor, const Fault &fault) {
  const poplar::Type type = tensor.elementType();
  if (type != poplar::FLOAT && type != poplar::HALF)
    throw std::invalid_argument("[graph] a fault needs a tensor of float or "
                                "half, not " +
                                std::string(type.toString()));
  if (tensor.containsConstant())
    throw std::invalid_argument(
        "[graph] a fault cannot change a tensor that is constant");
  if (fault.index && *fault.index >= tensor.numElements())
    throw std::invalid_argument(
        "[graph] a fault at element " + std::to_string(*fault.index) +
        " of a tensor that has " + std::to_string(tensor.numElements()));
  const unsigned bits = type == poplar::HALF ? 16 : 32;
  if (fault.kind == FaultKind::flip && fault.bit >= bits)
    throw std::invalid_argument(
        "[graph] a fault in bit " + std::to_string(fault.bit) +
        " of elements that have " + std::to_string(bits));
}

poplar::Tensor replicaNumber(poplar::Graph &graph,
                             const poplar::DebugContext &debugContext) {
  const poplar::Tensor number =
      graph.getReplicationFactor() > 1
          ? graph.addReplicationIndexConstant({debugContext, "replica"})
          : graph.addConstant(poplar::UNSIGNED_INT, {}, 0u,
                              {debugContext, "replica"});
  graph.setTileMapping(number, 0);
  return number;
}

} // namespace

void addFault(poplar::Graph &graph, const poplar::Tensor &tensor,
              const Fault &fault, const poplar::Tensor &execution,
              unsigned wanted, poplar::program::Sequence &prog,
              const poplar::DebugContext &debugContext) {
  check(tensor, fault);
  const poplar::Tensor flat = tensor.flatten();
  const poplar::Tensor spoilt =
      fault.index ? flat.slice(*fault.index, *fault.index + 1) : flat;
  const std::string vertexName = tensor.elementType() == poplar::HALF
                                     ? "popscope::InjectFault<half>"
                                     : "popscope::InjectFault<float>";
  const poplar::Tensor replica = replicaNumber(graph, debugContext);
  const poplar::ComputeSet inject =
      graph.addComputeSet({debugContext, "inject"});
  const auto mapping = graph.getTileMapping(spoilt);
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    const poplar::VertexRef vertex = graph.addVertex(
        inject, vertexName,
        {{"elements", poplar::concat(spoilt.slices(mapping[tile]))},
         {"execution", execution},
         {"replica", replica}});
    graph.setInitialValue(vertex["wantedExecution"], wanted);
    graph.setInitialValue(vertex["wantedReplica"],
                          fault.replica.value_or(kEveryReplica));
    graph.setInitialValue(vertex["kind"], unsigned(fault.kind));
    graph.setInitialValue(vertex["bit"], fault.bit);
    graph.setInitialValue(vertex["factor"], fault.factor);
    graph.setTileMapping(vertex, tile);
    graph.setPerfEstimate(vertex, 20);
  }
  prog.add(poplar::program::Execute(inject, {debugContext, "inject"}));
}

} // namespace popscope::graph
