#include "gcl/collective_checks.hpp"
#include "gcl/collective_ops.hpp"

#include <gcl/Collectives.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <string>

namespace gcl {

namespace {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Copy;
using poplar::program::Sequence;
using poputil::poplibs_error;

void allReduce(Graph &graph, const Tensor &data, const Tensor &out,
               CollectiveOperator op, Sequence &prog, const CommGroup &group,
               const DebugContext &debugContext, const OptionFlags &options) {
  checkOptions(options);
  if (op != CollectiveOperator::LOCAL)
    checkCollective("allReduce", op, data);
  const ReplicaGroups groups = groupsOf(graph, group);
  if (out.shape() != data.shape() || out.elementType() != data.elementType())
    throw poplibs_error(
        "allReduce: the destination is a " + out.shapeToString() + " of " +
        out.elementType().toString() + ", the data a " + data.shapeToString() +
        " of " + data.elementType().toString());
  if (!out.isParallelWriteable())
    throw poplibs_error("allReduce: the destination is not parallel writeable");
  if (op == CollectiveOperator::LOCAL) {
    prog.add(Copy(data, out, false, debugContext));
    return;
  }
  // Writing an element must not change another that is still to be read.
  const bool overlaps = out != data && out.intersectsWith(data);
  addReduce(prog,
            overlaps ? poputil::duplicate(graph, data, prog, debugContext)
                     : data,
            out, op, Share::whole, groups, debugContext);
}

} // namespace

Tensor allReduceCrossReplica(Graph &graph, const Tensor &data,
                             CollectiveOperator op, Sequence &prog,
                             const CommGroup &group,
                             const DebugContext &debugContext,
                             const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(data, options));
  const Tensor out = graph.clone(data, {di, "reduced"});
  allReduce(graph, data, out, op, prog, group, {di}, options);
  di.addOutput(out);
  return out;
}

Tensor allReduceCrossReplica(Graph &graph, const Tensor &data,
                             CollectiveOperator op, Sequence &prog,
                             const DebugContext &debugContext,
                             const OptionFlags &options) {
  return allReduceCrossReplica(graph, data, op, prog, CommGroup(), debugContext,
                               options);
}

std::vector<Tensor> allReduceCrossReplica(Graph &graph,
                                          const std::vector<Tensor> &datas,
                                          CollectiveOperator op, Sequence &prog,
                                          const CommGroup &group,
                                          const DebugContext &debugContext,
                                          const OptionFlags &options) {
  std::vector<Tensor> results;
  results.reserve(datas.size());
  for (const Tensor &data : datas)
    results.push_back(allReduceCrossReplica(graph, data, op, prog, group,
                                            debugContext, options));
  return results;
}

std::vector<Tensor> allReduceCrossReplica(Graph &graph,
                                          const std::vector<Tensor> &datas,
                                          CollectiveOperator op, Sequence &prog,
                                          const DebugContext &debugContext,
                                          const OptionFlags &options) {
  return allReduceCrossReplica(graph, datas, op, prog, CommGroup(),
                               debugContext, options);
}

void allReduceInPlaceCrossReplica(Graph &graph, Tensor &data,
                                  CollectiveOperator op, Sequence &prog,
                                  const CommGroup &group,
                                  const DebugContext &debugContext,
                                  const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(data, options));
  allReduce(graph, data, data, op, prog, group, {di}, options);
}

void allReduceInPlaceCrossReplica(Graph &graph, Tensor &data,
                                  CollectiveOperator op, Sequence &prog,
                                  const DebugContext &debugContext,
                                  const OptionFlags &options) {
  allReduceInPlaceCrossReplica(graph, data, op, prog, CommGroup(), debugContext,
                               options);
}

void allReduceInPlaceCrossReplica(Graph &graph, std::vector<Tensor> &datas,
                                  CollectiveOperator op, Sequence &prog,
                                  const CommGroup &group,
                                  const DebugContext &debugContext,
                                  const OptionFlags &options) {
  for (Tensor &data : datas)
    allReduceInPlaceCrossReplica(graph, data, op, prog, group, debugContext,
                                 options);
}

void allReduceInPlaceCrossReplica(Graph &graph, std::vector<Tensor> &datas,
                                  CollectiveOperator op, Sequence &prog,
                                  const DebugContext &debugContext,
                                  const OptionFlags &options) {
  allReduceInPlaceCrossReplica(graph, datas, op, prog, CommGroup(),
                               debugContext, options);
}

void allReduceToDestinationCrossReplica(Graph &graph, const Tensor &data,
                                        Tensor &destination,
                                        CollectiveOperator op, Sequence &prog,
                                        const CommGroup &group,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(data, destination, options));
  allReduce(graph, data, destination, op, prog, group, {di}, options);
}

void allReduceToDestinationCrossReplica(Graph &graph, const Tensor &data,
                                        Tensor &destination,
                                        CollectiveOperator op, Sequence &prog,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options) {
  allReduceToDestinationCrossReplica(graph, data, destination, op, prog,
                                     CommGroup(), debugContext, options);
}

Tensor allGatherCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                             const CommGroup &group,
                             const DebugContext &debugContext,
                             const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(data, options));
  checkOptions(options);
  const ReplicaGroups groups = groupsOf(graph, group);
  const Tensor out = poputil::cloneN(
      graph, data, static_cast<unsigned>(groups.size), {di, "gathered"});
  addGather(prog, data, out, Share::whole, groups, {di});
  di.addOutput(out);
  return out;
}

Tensor allGatherCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                             const DebugContext &debugContext,
                             const OptionFlags &options) {
  return allGatherCrossReplica(graph, data, prog, CommGroup(), debugContext,
                               options);
}

Tensor allToAllCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                            const CommGroup &group,
                            const DebugContext &debugContext,
                            const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(data, options));
  checkOptions(options);
  const ReplicaGroups groups = groupsOf(graph, group);
  if (data.rank() == 0 || data.dim(0) != groups.size)
    throw poplibs_error("allToAll: the data has shape " + data.shapeToString() +
                        " and goes to " + std::to_string(groups.size) +
                        " replicas");
  const Tensor out = graph.clone(data, {di, "exchanged"});
  addGather(prog, data, out, Share::part, groups, {di});
  di.addOutput(out);
  return out;
}

Tensor allToAllCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                            const DebugContext &debugContext,
                            const OptionFlags &options) {
  return allToAllCrossReplica(graph, data, prog, CommGroup(), debugContext,
                              options);
}

Tensor allReduceWithinReplica(Graph &graph, const Tensor &toReduce,
                              CollectiveOperator op, Sequence &prog,
                              const DebugContext &debugContext,
                              const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(toReduce, options));
  checkOptions(options);
  if (op != CollectiveOperator::LOCAL)
    checkCollective("allReduceWithinReplica", op, toReduce);
  if (toReduce.rank() != 2)
    throw poplibs_error("allReduceWithinReplica: the data has shape " +
                        toReduce.shapeToString() + " and is not a matrix");
  const Tensor out = graph.clone(toReduce, {di, "reduced"});
  if (op == CollectiveOperator::LOCAL)
    prog.add(Copy(toReduce, out, false, {di}));
  else if (toReduce.numElements() != 0)
    addReduceRows(prog, toReduce, out, op, {di});
  di.addOutput(out);
  return out;
}

} // namespace gcl
