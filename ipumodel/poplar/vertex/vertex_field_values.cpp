#include "poplar/graph/tensor_checks.hpp"
#include "poplar/values/debug_access.hpp"
#include "poplar/values/type_info.hpp"
#include "poplar/vertex/vertex_field.hpp"

#include <cstring>

namespace ipumodel {

using abi::Form;
using poplar::graph_connection_error;

Bytes VertexField::convert(const void *values, std::size_t n,
                           const poplar::TypeTraits &traits) const {
  Bytes elements(n * field_->elementSize);
  try {
    convertToDevice(type(), traits, values, n, elements.data(),
                    OnOverflow::fail);
  } catch (const poplar::overflow_error &error) {
    fail<poplar::overflow_error>(error.what());
  }
  return elements;
}

namespace {

std::uint64_t bitsOf(const Bytes &element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, element.data(), element.size());
  return bits;
}

} // namespace

void VertexField::connectValue(const void *value,
                               const poplar::TypeTraits &traits) {
  requireEdge();
  const Bytes element = convert(value, 1, traits);
  const auto [found, isNew] = graph_.building->fieldConstants.try_emplace(
      {field_->elementType, bitsOf(element)}, 0);
  if (isNew) {
    found->second =
        graph_.addVariable(type(), 1, {"<const>"}, Variable::Kind::constant);
    data_.variables[found->second].value = std::make_shared<Bytes>(element);
  }
  connect(graph_.makeTensor(type(), View(found->second, {})));
}

void VertexField::setState(const void *values, std::size_t n,
                           const poplar::TypeTraits &traits, bool isVector) {
  if (!isState())
    fail<graph_connection_error>(
        "the field is an edge, only state has an initial value");
  const bool wantsVector = field_->form != Form::scalar;
  const bool wantsRow = field_->form == Form::vectorOfVectors;
  if (isVector != wantsVector || index_.has_value() != wantsRow)
    fail<graph_connection_error>(
        wantsRow      ? "the field is a vector of vectors, set its rows"
        : wantsVector ? "the field is a vector, not a single value"
                      : "the field is a single value, not a vector");
  if (!wantsVector) {
    data_.fields[slot_] = {FieldValue::Kind::stateScalar, 1,
                           bitsOf(convert(values, 1, traits))};
    return;
  }
  StateVector vector{n, convert(values, n, traits)};
  if (wantsRow)
    data_.stateVectors[value().value + checkedIndex()] = std::move(vector);
  else if (value().kind == FieldValue::Kind::stateVectors)
    data_.stateVectors[value().value] = std::move(vector);
  else {
    data_.fields[slot_] = {FieldValue::Kind::stateVectors, 1,
                           data_.stateVectors.size()};
    data_.stateVectors.push_back(std::move(vector));
  }
}

void VertexField::setSize(std::size_t size) {
  FieldValue &value = data_.fields[slot_];
  const auto count = static_cast<std::uint32_t>(size);
  if (isState() && field_->form == Form::vector && !index_) {
    const Bytes zeros(size * field_->elementSize);
    if (value.kind == FieldValue::Kind::none) {
      value = {FieldValue::Kind::stateVectors, 1, data_.stateVectors.size()};
      data_.stateVectors.emplace_back();
    }
    data_.stateVectors[value.value] = {size, zeros};
    return;
  }
  if (index_ || (!isVectorOfEdges() &&
                 !(isState() && field_->form == Form::vectorOfVectors)))
    fail<graph_connection_error>(
        "the field's size cannot be set, it is that of the connected tensor");
  if (value.kind != FieldValue::Kind::none) {
    if (value.count != count)
      fail<graph_connection_error>("the field's size is " +
                                   std::to_string(value.count) + " already");
  } else if (isState()) {
    value = {FieldValue::Kind::stateVectors, count, data_.stateVectors.size()};
    data_.stateVectors.resize(data_.stateVectors.size() + size);
  } else {
    value = {FieldValue::Kind::edges, count, data_.edges.size()};
    data_.edges.resize(data_.edges.size() + size);
  }
}

std::size_t VertexField::size() const {
  const bool ofRows =
      isVectorOfEdges() || (isState() && field_->form == Form::vectorOfVectors);
  const std::size_t row = index_ ? checkedIndex() : 0;
  if (field_->form == Form::scalar)
    return 1;
  if (value().kind == FieldValue::Kind::none)
    fail<poplar::no_size_specified>("the field has no size yet");
  if (ofRows && !index_)
    return value().count;
  if (isState())
    return data_.stateVectors[value().value + row].count;
  const Edge &edge = data_.edges[value().value + row];
  if (edge.variable == Edge::kUnconnected)
    fail<poplar::no_size_specified>("the element is not connected yet");
  return edge.count;
}

} // namespace ipumodel
