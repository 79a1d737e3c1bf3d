#include "poplar/graph/tensor_checks.hpp"
#include "poplar/values/type_info.hpp"
#include "poplar/vertex/vertex_field.hpp"

#include <poplar/Graph.hpp>

namespace poplar {

using ipumodel::GraphData;
using ipumodel::GraphImpl;
using ipumodel::implOf;
using ipumodel::kNoTile;
using ipumodel::VertexField;
using ipumodel::abi::Form;
namespace abi = ipumodel::abi;

namespace {

// The type's index in GraphData::vertexTypes.
std::uint32_t typeIndex(GraphImpl &impl, const std::string &name) {
  auto &index = impl.building->typeIndex;
  const auto known = index.find(name);
  if (known != index.end())
    return known->second;
  const abi::VertexType &codelet = impl.codelet(name);
  auto &types = impl.data->vertexTypes;
  for (std::uint32_t i = 0; i < types.size(); ++i)
    if (types[i].codelet == &codelet)
      return index[name] = i; // the same type in another spelling
  types.push_back(ipumodel::makeVertexType(codelet.name, codelet));
  return index[name] = static_cast<std::uint32_t>(types.size() - 1);
}

const abi::Field &fieldOf(const GraphImpl &impl, const std::string &vertexName,
                          const std::string &fieldName) {
  const abi::VertexType &codelet = impl.codelet(vertexName);
  for (std::uint32_t i = 0; i < codelet.numFields; ++i)
    if (fieldName == codelet.fields[i].name)
      return codelet.fields[i];
  throw unknown_field(fieldName, vertexName);
}

unsigned rankOf(Form form) {
  switch (form) {
  case Form::scalar:
    return 0;
  case Form::vector:
  case Form::vectorOfScalars:
    return 1;
  case Form::vectorOfVectors:
    return 2;
  }
  return 0;
}

} // namespace

VertexRef Graph::addVertex(ComputeSet cs, StringRef vertexType) {
  GraphImpl &impl = implOf(*this);
  GraphData &data = *impl.data;
  if (cs.getId() >= data.computeSets.size())
    throw poplar_error("addVertex " + vertexType +
                       ": the compute set does not belong to this graph");
  const std::uint32_t type = typeIndex(impl, vertexType);
  const auto id = static_cast<std::uint32_t>(data.vertices.size());
  const auto firstField = static_cast<std::uint32_t>(data.fields.size());
  data.vertices.push_back({type, cs.getId(),
                           data.target.getNumTiles() == 1 ? 0 : kNoTile,
                           firstField});
  data.fields.resize(firstField + data.vertexTypes[type].codelet->numFields);
  data.computeSets[cs.getId()].vertices.push_back(id);
  return VertexRef(id);
}

VertexRef Graph::addVertex(ComputeSet cs, StringRef vertexType,
                           ArrayRef<ConnectionDesc> connections) {
  const VertexRef vertex = addVertex(cs, vertexType);
  for (const ConnectionDesc &connection : connections) {
    VertexField field(implOf(*this), FieldRef(vertex, connection.field_));
    switch (connection.kind_) {
    case ConnectionDesc::Kind::tensor:
      field.connect(connection.tensors_[0]);
      break;
    case ConnectionDesc::Kind::tensors:
      field.connect(ArrayRef<Tensor>(connection.tensors_));
      break;
    case ConnectionDesc::Kind::value:
      if (field.isState())
        field.setState(connection.value_, 1, connection.traits_, false);
      else
        field.connectValue(connection.value_, connection.traits_);
      break;
    }
  }
  return vertex;
}

VertexRef Graph::addExternalExchangeVertex(ComputeSet, StringRef vertexType,
                                           unsigned, bool, bool) {
  throw poplar_error("addExternalExchangeVertex " + vertexType +
                     ": the model exchanges data without vertices");
}

void Graph::connect(const FieldRef &field, const Tensor &tensor) {
  VertexField(implOf(*this), field).connect(tensor);
}

void Graph::connect(const FieldRef &field, ArrayRef<Tensor> tensors) {
  VertexField(implOf(*this), field).connect(tensors);
}

void Graph::connectValue(const FieldRef &field, const void *value,
                         const TypeTraits &traits) {
  VertexField(implOf(*this), field).connectValue(value, traits);
}

void Graph::setFieldState(const FieldRef &field, const void *values,
                          std::size_t n, const TypeTraits &traits,
                          bool isVector) {
  VertexField(implOf(*this), field).setState(values, n, traits, isVector);
}

void Graph::setInitialValue(const FieldRef &field,
                            const std::vector<bool> &values) {
  const std::vector<unsigned char> bytes(values.begin(), values.end());
  setFieldState(field, bytes.data(), bytes.size(),
                TypeTraits::make<unsigned char>(), true);
}

void Graph::setInitialValueHalf(const FieldRef &field, std::uint16_t val) {
  setFieldState(field, &val, 1, TypeTraits::make<IeeeHalf>(), false);
}

void Graph::setInitialValueHalf(const FieldRef &field,
                                ArrayRef<std::uint16_t> values) {
  setFieldState(field, values.data(), values.size(),
                TypeTraits::make<IeeeHalf>(), true);
}

void Graph::setFieldSize(const FieldRef &field, std::size_t size) {
  VertexField(implOf(*this), field).setSize(size);
}

std::size_t Graph::getFieldSize(const FieldRef &field) const {
  return VertexField(implOf(*this), field).size();
}

// Device layouts are not modelled: vectors are limited only by the size of a
// Span.
std::size_t Graph::getMaxFieldDim(StringRef vertexName, StringRef fieldName,
                                  unsigned dimIndex) const {
  const abi::Field &field = fieldOf(implOf(*this), vertexName, fieldName);
  if (dimIndex >= rankOf(field.form))
    throw index_error("getMaxFieldDim: " + vertexName + "." + fieldName +
                      " has no dimension " + std::to_string(dimIndex));
  return std::numeric_limits<decltype(abi::Span::size)>::max();
}

double Graph::getMaxVertexFieldValue(StringRef vertexName,
                                     StringRef fieldName) const {
  const GraphImpl &impl = implOf(*this);
  const abi::Field &field = fieldOf(impl, vertexName, fieldName);
  const auto type = ipumodel::typeFromName(field.elementType);
  if (!type)
    throw type_error("getMaxVertexFieldValue: " + vertexName + "." + fieldName +
                     " is " + field.elementType);
  return impl.target.getTypeLimitsMaxAs<double>(*type);
}

} // namespace poplar
