#include "poplar/values/type_info.hpp"
#include "poplar/vertex/vertex_introspection.hpp"

#include <poplar/VertexIntrospector.hpp>
#include <poplar/exceptions.hpp>

namespace poplar {

using ipumodel::FieldIntrospection;
using ipumodel::FieldValue;
using ipumodel::VertexIntrospection;
using ipumodel::abi::Direction;
using ipumodel::abi::Form;

FieldData::FieldData(std::unique_ptr<FieldIntrospection> impl)
    : impl_(std::move(impl)) {}
FieldData::FieldData(FieldData &&) noexcept = default;
FieldData::~FieldData() = default;

std::string FieldData::name() const { return impl_->field->name; }

unsigned FieldData::rank() const {
  switch (impl_->field->form) {
  case Form::scalar:
    return 0;
  case Form::vector:
  case Form::vectorOfScalars:
    return 1;
  case Form::vectorOfVectors:
    break;
  }
  return 2;
}

std::size_t FieldData::size() const {
  if (impl_->field->form == Form::scalar)
    return 1;
  if (impl_->field->form == Form::vector)
    return getSizeAtIndex(0);
  return impl_->value->count;
}

// The number of elements of row `i`; of the only row unless there are several.
std::size_t FieldData::getSizeAtIndex(std::size_t i) const {
  const FieldValue &value = *impl_->value;
  if (value.kind == FieldValue::Kind::none)
    return 0;
  if (i >= value.count)
    throw index_error(name(), i);
  switch (value.kind) {
  case FieldValue::Kind::edges:
    return impl_->graph->edges[value.value + i].count;
  case FieldValue::Kind::stateVectors:
    return impl_->graph->stateVectors[value.value + i].count;
  default:
    return 1;
  }
}

layout::Vector
FieldData::getProfilerVectorLayout(std::size_t nestingLevel) const {
  if (impl_->field->vectorListLayout != 0 || nestingLevel >= rank())
    return layout::Vector::NotAVector;
  if (nestingLevel + 1 < rank()) // vectors of edges are always spans
    return layout::Vector::Span;
  // In the order of the codelet's VectorLayout, whose last is COMPACT_PTR: an
  // ordinary pointer when memory is not limited.
  constexpr auto kLast = static_cast<int>(layout::Vector::ScaledPtr128);
  const int layout = impl_->field->vectorLayout;
  return layout > kLast ? layout::Vector::OnePtr
                        : static_cast<layout::Vector>(layout);
}

layout::VectorList FieldData::getProfilerVectorListLayout() const {
  // The same; the last of VectorListLayout is COMPACT_DELTAN.
  constexpr auto kLast = static_cast<int>(layout::VectorList::DeltaNElements);
  const int layout = impl_->field->vectorListLayout;
  return layout > kLast ? layout::VectorList::DeltaN
                        : static_cast<layout::VectorList>(layout);
}

void FieldData::readState(std::size_t row, std::size_t n, void *dst,
                          const TypeTraits &traits) const {
  const auto &[graph, field, value] = *impl_;
  const auto type = ipumodel::typeFromName(field->elementType);
  if (field->direction != Direction::state || !type)
    throw poplar_error("field '" + name() +
                       "' has no initial value, it is not state");
  const ipumodel::Bytes zeros(n * field->elementSize); // the value if never set
  const char *elements = zeros.data();
  if (value->kind == FieldValue::Kind::stateScalar)
    elements = reinterpret_cast<const char *>(&value->value);
  else if (value->kind == FieldValue::Kind::stateVectors)
    elements = graph->stateVectors[value->value + row].elements.data();
  ipumodel::convertFromDevice(*type, traits, elements, n, dst);
}

VertexIntrospector::VertexIntrospector(
    std::unique_ptr<VertexIntrospection> impl)
    : impl_(std::move(impl)) {}
VertexIntrospector::VertexIntrospector(VertexIntrospector &&) noexcept =
    default;
VertexIntrospector::~VertexIntrospector() = default;

FieldData VertexIntrospector::getFieldInfo(const std::string &name) const {
  const ipumodel::GraphData &graph = *impl_->graph;
  const ipumodel::Vertex &vertex = graph.vertices[impl_->vertex];
  const ipumodel::VertexType &type = graph.vertexTypes[vertex.type];
  const auto found = type.fieldIndex.find(name);
  if (found == type.fieldIndex.end())
    throw unknown_field(name, type.name);
  return FieldData(std::make_unique<FieldIntrospection>(
      FieldIntrospection{&graph, &type.codelet->fields[found->second],
                         &graph.fields[vertex.firstField + found->second]}));
}

ComputeSet VertexIntrospector::getComputeSet() const {
  return ComputeSet(impl_->graph->vertices[impl_->vertex].computeSet);
}

} // namespace poplar
