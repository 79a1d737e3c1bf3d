#include <poputil/Util.hpp>

namespace poputil {

using poplar::QuarterMetadata;
using poplar::Tensor;

Tensor createConstantMetadataTensor(poplar::Graph &graph,
                                    QuarterMetadata::Format fp8Format,
                                    int fp8Scale) {
  Tensor t =
      graph.addConstant(poplar::QUARTER_METADATA, {1},
                        QuarterMetadata(fp8Format, fp8Scale).getBinary());
  graph.setTileMapping(t, 0);
  return t;
}

Tensor createVariableMetadataTensor(poplar::Graph &graph,
                                    QuarterMetadata::Format fp8Format,
                                    int fp8Scale) {
  Tensor t = graph.addVariable(poplar::QUARTER_METADATA, {1});
  graph.setTileMapping(t, 0);
  graph.setInitialValue(t, QuarterMetadata(fp8Format, fp8Scale).getBinary());
  return t;
}

} // namespace poputil
