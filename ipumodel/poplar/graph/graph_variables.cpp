#include "poplar/graph/tensor_checks.hpp"
#include "poplar/values/debug_access.hpp"
#include "poplar/values/quarter.hpp"
#include "poplar/values/type_info.hpp"

#include <poplar/Graph.hpp>
#include <poplar/MetadataCreation.hpp>

namespace poplar {

using ipumodel::Bytes;
using ipumodel::describe;
using ipumodel::GraphData;
using ipumodel::GraphImpl;
using ipumodel::implOf;
using ipumodel::locationOf;
using ipumodel::prefixOf;
using ipumodel::Shape;
using ipumodel::shapeText;
using ipumodel::TensorData;
using ipumodel::TensorPtr;
using ipumodel::Variable;
using ipumodel::VariableId;
using ipumodel::View;

namespace {

// Throws tensor_metadata_error unless metadata are given exactly for the types
// that need them.
TensorPtr checkMetadata(const GraphImpl &impl, Type type,
                        const Tensor &metadata, const std::string &use) {
  if (type.requiresMetadata() != metadata.valid())
    throw tensor_metadata_error(
        use + ": " + type.toString() +
        (metadata.valid() ? " has no metadata" : " needs metadata"));
  if (!metadata.valid())
    return nullptr;
  const TensorData &data = impl.check(metadata, "metadata");
  if (data.type != QUARTER_METADATA || data.view.numElements() != 1)
    throw tensor_metadata_error(use + ": tensor " + describe(data) +
                                " is not one quarter_metadata");
  return metadata.getImpl();
}

// The format and scale for the conversion; the default for other types.
QuarterMetadata readMetadata(const TensorPtr &metadata,
                             const std::string &use) {
  if (!metadata)
    return {};
  unsigned char bits;
  if (!Tensor(metadata).getConstantValue(&bits))
    throw tensor_metadata_error(use + ": tensor " + describe(*metadata) +
                                " is not constant, so the values cannot be "
                                "converted");
  return ipumodel::quarterMetadataFromBinary(bits);
}

void checkCount(const std::string &use, std::size_t given, const Shape &shape) {
  const std::size_t wanted = ipumodel::product(shape);
  if (given != wanted)
    throw poplar_error(use + ": " + std::to_string(given) +
                       " values for shape " + shapeText(shape) +
                       ", which has " + std::to_string(wanted) + " elements");
}

// Maps element i to tile i * tiles / elements, so that shares differ by at most
// one.
void mapLinearly(const GraphImpl &impl, Variable &variable) {
  const unsigned numTiles = impl.target.getNumTiles();
  const std::size_t n = variable.numElements;
  const std::size_t share = n / numTiles, extra = n % numTiles;
  std::size_t begin = 0;
  for (unsigned tile = 0; begin < n; ++tile) {
    const std::size_t end = begin + share + (tile < extra ? 1 : 0);
    variable.mapping.set(begin, end,
                         impl.toTopLevel(tile, [] { return "addVariable"; }));
    begin = end;
  }
}

} // namespace

Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape,
                          const DebugContext &debugContext) {
  return addVariable(type, Tensor(), shape, VariableMappingMethod::NONE,
                     debugContext);
}

Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape,
                          VariableMappingMethod mappingMethod,
                          const DebugContext &debugContext) {
  return addVariable(type, Tensor(), shape, mappingMethod, debugContext);
}

Tensor Graph::addVariable(const Type &type, const Tensor &metadata,
                          ArrayRef<std::size_t> shape,
                          const DebugContext &debugContext) {
  return addVariable(type, metadata, shape, VariableMappingMethod::NONE,
                     debugContext);
}

Tensor Graph::addVariable(const Type &type, const Tensor &metadata,
                          ArrayRef<std::size_t> shape,
                          VariableMappingMethod mappingMethod,
                          const DebugContext &debugContext) {
  GraphImpl &impl = implOf(*this);
  const bool wantsOwn = type.requiresMetadata() && !metadata.valid();
  TensorPtr checked = checkMetadata(
      impl, type,
      wantsOwn
          ? createVariableMetadataTensor(*this, QuarterMetadata::Format::F143,
                                         0, {debugContext, "metadata"})
          : metadata,
      prefixOf(locationOf(debugContext)) + "addVariable");
  const VariableId id = impl.addVariable(
      type, ipumodel::product(shape.cloneAsVector()), debugContext);
  if (mappingMethod == VariableMappingMethod::LINEAR)
    mapLinearly(impl, impl.data->variables[id]);
  return impl.makeTensor(type, View(id, shape.cloneAsVector()),
                         std::move(checked));
}

Tensor Graph::addConstant(const Type &type, const Tensor &metadata,
                          ArrayRef<std::size_t> shape, const void *values,
                          const TypeTraits &traits, bool broadcast,
                          const DebugContext &debugContext) {
  GraphImpl &impl = implOf(*this);
  const std::string use = prefixOf(locationOf(debugContext)) + "addConstant";
  TensorPtr checked = checkMetadata(impl, type, metadata, use);
  const std::size_t numElements = ipumodel::product(shape.cloneAsVector());
  const std::size_t count = broadcast ? 1 : numElements;
  auto value = std::make_shared<Bytes>(count * ipumodel::sizeOf(type));
  ipumodel::convertToDevice(type, traits, values, count, value->data(),
                            ipumodel::OnOverflow::wrap,
                            readMetadata(checked, use));
  const VariableId id = impl.addVariable(type, numElements, debugContext,
                                         Variable::Kind::constant);
  impl.data->variables[id].value = std::move(value);
  return impl.makeTensor(type, View(id, shape.cloneAsVector()),
                         std::move(checked));
}

Tensor Graph::addConstantData(const Type &type, const Tensor &metadata,
                              ArrayRef<std::size_t> shape, const void *values,
                              std::size_t n, const TypeTraits &traits,
                              const DebugContext &debugContext) {
  checkCount(prefixOf(locationOf(debugContext)) + "addConstant", n,
             shape.cloneAsVector());
  return addConstant(type, metadata, shape, values, traits, false,
                     debugContext);
}

Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape,
                              std::uint16_t val,
                              const DebugContext &debugContext) {
  return addConstant(type, shape, &val, TypeTraits::make<IeeeHalf>(), true,
                     debugContext);
}

Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape,
                              const std::uint16_t *values,
                              const DebugContext &debugContext) {
  return addConstant(type, shape, values, TypeTraits::make<IeeeHalf>(), false,
                     debugContext);
}

Tensor Graph::addReplicationIndexConstant(const DebugContext &debugContext) {
  GraphImpl &impl = implOf(*this);
  const VariableId id = impl.addVariable(UNSIGNED_INT, 1, debugContext,
                                         Variable::Kind::replicaIndex);
  return impl.makeTensor(UNSIGNED_INT, View(id, {}));
}

void Graph::setTensorValue(const Tensor &t, const void *values, std::size_t n,
                           const TypeTraits &traits, bool broadcast) {
  GraphImpl &impl = implOf(*this);
  const TensorData &data = impl.check(t, "setInitialValue");
  const std::string use =
      prefixOf(data) + "setInitialValue of tensor " + describe(data);
  if (t.containsConstant())
    throw poplar_error(use + ": it contains constants");
  if (!broadcast)
    checkCount(use, n, data.view.shape());
  Bytes elements(n * ipumodel::sizeOf(data.type));
  ipumodel::convertToDevice(data.type, traits, values, n, elements.data(),
                            ipumodel::OnOverflow::wrap,
                            readMetadata(data.metadata, use));
  impl.data->initialValues.push_back({t.getImpl(), std::move(elements)});
}

void Graph::setInitialValueHalf(const Tensor &t, std::uint16_t val) {
  setTensorValue(t, &val, 1, TypeTraits::make<IeeeHalf>(), true);
}

void Graph::setInitialValueHalf(const Tensor &t,
                                ArrayRef<std::uint16_t> values) {
  setTensorValue(t, values.data(), values.size(), TypeTraits::make<IeeeHalf>(),
                 false);
}

namespace {

const Variable &variableOf(const GraphImpl &impl, VariableRef v,
                           const char *use) {
  if (v.getId() >= impl.data->variables.size())
    throw poplar_error(std::string(use) +
                       ": the variable does not belong to this graph");
  return impl.data->variables[v.getId()];
}

} // namespace

Tensor Graph::getVariable(VariableRef v) const {
  const GraphImpl &impl = implOf(*this);
  const Variable &variable = variableOf(impl, v, "getVariable");
  return impl.makeTensor(variable.type,
                         View(v.getId(), {variable.numElements}));
}

bool Graph::isConstant(VariableRef v) const {
  return ipumodel::isConstant(variableOf(implOf(*this), v, "isConstant"));
}

Tensor createConstantMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext) {
  Tensor metadata = graph.addConstant(
      QUARTER_METADATA, {}, QuarterMetadata(format, scale).getBinary(),
      debugContext);
  graph.setTileMapping(metadata, 0);
  return metadata;
}

Tensor createVariableMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext) {
  Tensor metadata = graph.addVariable(QUARTER_METADATA, {}, debugContext);
  graph.setTileMapping(metadata, 0);
  graph.setInitialValue(metadata, QuarterMetadata(format, scale).getBinary());
  return metadata;
}

} // namespace poplar
