#include "gcl/collective_checks.hpp"
#include "gcl/collective_ops.hpp"

#include <gcl/Collectives.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <string>

namespace gcl {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

// Elements of each member.
std::size_t checkedPart(const Graph &graph, const Tensor &data,
                        CollectiveOperator op, const CommGroup &group,
                        const OptionFlags &options) {
  checkOptions(options);
  checkCollective("reduceScatter", op, data);
  if (data.rank() != 1)
    throw poplibs_error("reduceScatter: the data has shape " +
                        data.shapeToString() + " and is not a vector");
  const std::size_t members = groupsOf(graph, group).size;
  return (data.dim(0) + members - 1) / members;
}

} // namespace

Tensor reduceScatterCrossReplica(Graph &graph, const Tensor &data,
                                 CollectiveOperator op, Sequence &prog,
                                 const CommGroup &group,
                                 const DebugContext &debugContext,
                                 const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(data, options));
  const std::size_t part = checkedPart(graph, data, op, group, options);
  const Tensor out =
      graph.addVariable(data.elementType(), {part}, {di, "scattered"});
  poputil::mapTensorLinearly(graph, out);
  addReduce(prog, data, out, op, Share::part, groupsOf(graph, group), {di});
  di.addOutput(out);
  return out;
}

Tensor reduceScatterCrossReplica(Graph &graph, const Tensor &data,
                                 CollectiveOperator op, Sequence &prog,
                                 const DebugContext &debugContext,
                                 const OptionFlags &options) {
  return reduceScatterCrossReplica(graph, data, op, prog, CommGroup(),
                                   debugContext, options);
}

void reduceScatterToDestinationCrossReplica(
    Graph &graph, const Tensor &data, const Tensor &destination,
    CollectiveOperator op, Sequence &prog, const CommGroup &group,
    const DebugContext &debugContext, const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(data, destination, options));
  const std::size_t part = checkedPart(graph, data, op, group, options);
  if (destination.rank() != 1 || destination.dim(0) != part ||
      destination.elementType() != data.elementType())
    throw poplibs_error(
        "reduceScatter: the destination is a " + destination.shapeToString() +
        " of " + destination.elementType().toString() + ", not {" +
        std::to_string(part) + "} of " + data.elementType().toString());
  if (!destination.isParallelWriteable())
    throw poplibs_error(
        "reduceScatter: the destination is not parallel writeable");
  // Writing an element must not change another that is still to be read.
  addReduce(prog,
            destination.intersectsWith(data)
                ? poputil::duplicate(graph, data, prog, {di})
                : data,
            destination, op, Share::part, groupsOf(graph, group), {di});
}

void reduceScatterToDestinationCrossReplica(Graph &graph, const Tensor &data,
                                            const Tensor &destination,
                                            CollectiveOperator op,
                                            Sequence &prog,
                                            const DebugContext &debugContext,
                                            const OptionFlags &options) {
  reduceScatterToDestinationCrossReplica(graph, data, destination, op, prog,
                                         CommGroup(), debugContext, options);
}

void reduceScatterToDestinationCrossReplica(
    Graph &graph, const std::vector<Tensor> &datas,
    const std::vector<Tensor> &destinations, CollectiveOperator op,
    Sequence &prog, const CommGroup &group, const DebugContext &debugContext,
    const OptionFlags &options) {
  if (datas.size() != destinations.size())
    throw poplibs_error(
        "reduceScatter: there are " + std::to_string(destinations.size()) +
        " destinations for " + std::to_string(datas.size()) + " tensors");
  for (std::size_t i = 0; i < datas.size(); ++i)
    reduceScatterToDestinationCrossReplica(graph, datas[i], destinations[i], op,
                                           prog, group, debugContext, options);
}

void reduceScatterToDestinationCrossReplica(
    Graph &graph, const std::vector<Tensor> &datas,
    const std::vector<Tensor> &destinations, CollectiveOperator op,
    Sequence &prog, const DebugContext &debugContext,
    const OptionFlags &options) {
  reduceScatterToDestinationCrossReplica(graph, datas, destinations, op, prog,
                                         CommGroup(), debugContext, options);
}

} // namespace gcl
