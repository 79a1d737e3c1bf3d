// One field of one vertex while the graph is built: checks what may be
// connected to it or set on it, and stores it.
#pragma once

#include "poplar/graph/graph_impl.hpp"

#include <poplar/GraphElements.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/exceptions.hpp>

#include <optional>

namespace ipumodel {

class VertexField {
public:
  // Throws poplar_error if the vertex belongs to another graph, unknown_field
  // if it has no such field.
  VertexField(GraphImpl &graph, const poplar::FieldRef &ref);

  const abi::Field &codelet() const { return *field_; }
  const FieldValue &value() const { return data_.fields[slot_]; }
  bool isState() const { return field_->direction == abi::Direction::state; }
  // True for vectors of edges, whose elements are connected one by one or all
  // at once.
  bool isVectorOfEdges() const;
  // The type of the elements; throws type_error if tensors have no such type.
  poplar::Type type() const;

  // Throws an Error that names the field and begins with the place that made
  // the compute set.
  template <class Error> [[noreturn]] void fail(const std::string &what) const {
    throw Error(place() + label() + ": " + what);
  }

  void connect(const poplar::Tensor &tensor);
  void connect(poplar::ArrayRef<poplar::Tensor> tensors);
  // Connects a constant of the field's type, shared by all fields with that
  // value.
  void connectValue(const void *value, const poplar::TypeTraits &traits);

  void setState(const void *values, std::size_t n,
                const poplar::TypeTraits &traits, bool isVector);

  void setSize(std::size_t size);
  // Throws no_size_specified if the size is not known yet.
  std::size_t size() const;

private:
  std::string label() const; // "ns::Type.field[2]"
  std::string place() const;

  void requireEdge() const;
  std::size_t checkedIndex() const;
  void requireRank(const TensorData &tensor, std::size_t rank) const;
  const TensorData &checkTensor(const poplar::Tensor &tensor) const;
  void requireWriteable(const TensorData &tensor, const Edge &edge) const;

  Edge makeEdge(std::shared_ptr<const View> view);
  Edge makeEdge(const TensorPtr &tensor);
  std::vector<Edge> makeRows(const TensorPtr &tensor);
  void keep(const std::vector<Edge> &edges);
  void keepElement(const Edge &edge);
  Bytes convert(const void *values, std::size_t n,
                const poplar::TypeTraits &traits) const;

  GraphImpl &graph_;
  GraphData &data_;
  const Vertex &vertex_;
  const abi::Field *field_;
  std::size_t slot_; // in GraphData::fields
  std::optional<std::size_t> index_;
};

} // namespace ipumodel
