#include "graph/layers/layer.hpp"

#include <poputil/TileMapping.hpp>

#include <utility>

namespace popscope::graph {

Variable Layer::makeVariable(const std::string &suffix,
                             const poplar::Tensor &compute,
                             std::vector<unsigned> hostDims) const {
  Variable variable;
  variable.name = site_.name + "/" + suffix;
  variable.compute = compute;
  variable.master = compute.elementType() == poplar::FLOAT
                        ? compute
                        : site_.graph.clone(poplar::FLOAT, compute,
                                            {variable.name + "/master"});
  variable.hostDims = std::move(hostDims);
  return variable;
}

Variable Layer::makeBias(std::size_t size) const {
  const poplar::Tensor bias =
      site_.graph.addVariable(site_.type, {size}, {label("bias")});
  poputil::mapTensorLinearly(site_.graph, bias);
  return makeVariable("bias:0", bias, {0});
}

} // namespace popscope::graph
