#include "poplar/vertex/vertex_field.hpp"

#include "poplar/graph/tensor_checks.hpp"
#include "poplar/values/type_info.hpp"

namespace ipumodel {

using abi::Direction;
using abi::Form;
using poplar::graph_connection_error;

namespace {

const Vertex &vertexOf(const GraphData &graph, const poplar::FieldRef &ref) {
  const std::uint32_t id = ref.getVertex().getId();
  if (id >= graph.vertices.size())
    throw poplar::poplar_error(
        "field '" + ref.getName() +
        "' of a vertex that does not belong to this graph");
  return graph.vertices[id];
}

// Codelets may spell a type differently: 64-bit integers have two spellings.
bool holds(const abi::Field &field, poplar::Type type) {
  const TypeInfo &info = infoOf(type);
  if (info.name == field.elementType)
    return true;
  const auto named = typeFromName(field.elementType);
  return named && info.size == 8 && infoOf(*named).size == 8 &&
         info.isIntegral && infoOf(*named).isIntegral &&
         info.isSigned == infoOf(*named).isSigned;
}

bool isConsecutive(const Loops &loops) {
  return loops.empty() || (loops.size() == 1 && loops[0].stride == 1);
}

} // namespace

VertexField::VertexField(GraphImpl &graph, const poplar::FieldRef &ref)
    : graph_(graph), data_(*graph.data), vertex_(vertexOf(data_, ref)) {
  const VertexType &type = data_.vertexTypes[vertex_.type];
  const auto found = type.fieldIndex.find(ref.getName());
  if (found == type.fieldIndex.end())
    throw poplar::unknown_field(ref.getName(), type.name);
  field_ = &type.codelet->fields[found->second];
  slot_ = vertex_.firstField + found->second;
  if (ref.isIndexed())
    index_ = ref.getIndex();
}

bool VertexField::isVectorOfEdges() const {
  return !isState() && (field_->form == Form::vectorOfScalars ||
                        field_->form == Form::vectorOfVectors);
}

poplar::Type VertexField::type() const {
  const auto found = typeFromName(field_->elementType);
  if (!found)
    fail<poplar::type_error>(std::string("there is no element type ") +
                             field_->elementType);
  return *found;
}

std::string VertexField::label() const {
  return data_.vertexTypes[vertex_.type].name + "." + field_->name +
         (index_ ? "[" + std::to_string(*index_) + "]" : "");
}

std::string VertexField::place() const {
  return prefixOf(data_.computeSets[vertex_.computeSet].location);
}

void VertexField::requireEdge() const {
  if (isState())
    fail<graph_connection_error>(
        "the field is state, nothing can be connected to it");
}

std::size_t VertexField::checkedIndex() const {
  if (!isVectorOfEdges() &&
      !(isState() && field_->form == Form::vectorOfVectors))
    fail<graph_connection_error>("the field is not a vector of such elements");
  if (value().kind == FieldValue::Kind::none)
    fail<poplar::no_size_specified>("the field has no size yet");
  if (*index_ >= value().count)
    throw poplar::index_error(
        data_.vertexTypes[vertex_.type].name + "." + field_->name, *index_);
  return *index_;
}

void VertexField::requireRank(const TensorData &tensor,
                              std::size_t rank) const {
  if (tensor.view.shape().size() != rank)
    fail<graph_connection_error>("a tensor of rank " + std::to_string(rank) +
                                 " is required, not " + describe(tensor));
}

const TensorData &VertexField::checkTensor(const poplar::Tensor &tensor) const {
  if (!tensor.valid())
    fail<graph_connection_error>("the tensor is not valid");
  const TensorData &checked = *tensor.getImpl();
  if (checked.graph != &data_)
    fail<graph_connection_error>("tensor " + describe(checked) +
                                 " belongs to another graph");
  if (!holds(*field_, checked.type))
    fail<poplar::type_error>(std::string("elements are ") +
                             field_->elementType + ", tensor " +
                             describe(checked) + " does not match");
  return checked;
}

void VertexField::requireWriteable(const TensorData &tensor,
                                   const Edge &edge) const {
  if (field_->direction == Direction::input)
    return;
  const bool writeable = edge.variable == Edge::kView
                             ? isWriteable(data_, *data_.edgeViews[edge.offset])
                             : !isConstant(data_.variables[edge.variable]);
  if (!writeable)
    fail<graph_connection_error>("the vertex writes to tensor " +
                                 describe(tensor) +
                                 ", which contains constants, or elements "
                                 "more than once");
}

Edge VertexField::makeEdge(std::shared_ptr<const View> view) {
  if (view->blocks().size() == 1) {
    const Block &block = view->blocks().front();
    if (block.dims.empty())
      return {block.variable, static_cast<std::size_t>(block.offset), 1};
    if (block.dims.size() == 1 && isConsecutive(block.dims[0].loops))
      return {block.variable, static_cast<std::size_t>(block.offset),
              block.dims[0].extent};
  }
  const std::size_t count = view->numElements();
  data_.edgeViews.push_back(std::move(view));
  return {Edge::kView, data_.edgeViews.size() - 1, count};
}

Edge VertexField::makeEdge(const TensorPtr &tensor) {
  const Edge edge =
      makeEdge(std::shared_ptr<const View>(tensor, &tensor->view));
  requireWriteable(*tensor, edge);
  return edge;
}

// The elements of a vector, or the rows of a matrix.
std::vector<Edge> VertexField::makeRows(const TensorPtr &tensor) {
  std::vector<Edge> rows;
  const View &view = tensor->view;
  rows.reserve(view.shape()[0]);
  if (field_->form == Form::vectorOfScalars) {
    view.forEachRun([&](const Run &run) {
      for (std::size_t i = 0; i < run.count; ++i)
        rows.push_back({run.variable, run.offset + i, 1});
    });
  } else if (view.blocks().size() == 1 &&
             isConsecutive(view.blocks()[0].dims[1].loops)) {
    const Block &block = view.blocks()[0];
    for (std::size_t i = 0; i < view.shape()[0]; ++i)
      rows.push_back({block.variable,
                      static_cast<std::size_t>(
                          block.offset + loopOffset(block.dims[0].loops, i)),
                      view.shape()[1]});
  } else {
    for (std::size_t i = 0; i < view.shape()[0]; ++i)
      rows.push_back(
          makeEdge(std::make_shared<View>(view.slice(0, i, i + 1).dropDim(0))));
  }
  for (const Edge &row : rows)
    requireWriteable(*tensor, row);
  return rows;
}

void VertexField::keep(const std::vector<Edge> &edges) {
  FieldValue &value = data_.fields[slot_];
  if (value.kind == FieldValue::Kind::none) {
    value.kind = FieldValue::Kind::edges;
    value.count = static_cast<std::uint32_t>(edges.size());
    value.value = data_.edges.size();
    data_.edges.insert(data_.edges.end(), edges.begin(), edges.end());
    return;
  }
  if (value.count != edges.size())
    fail<graph_connection_error>("the field's size is " +
                                 std::to_string(value.count) + ", not " +
                                 std::to_string(edges.size()));
  for (std::size_t i = 0; i < edges.size(); ++i) {
    Edge &slot = data_.edges[value.value + i];
    if (slot.variable != Edge::kUnconnected)
      fail<graph_connection_error>("the field is connected already");
    slot = edges[i];
  }
}

void VertexField::keepElement(const Edge &edge) {
  Edge &slot = data_.edges[value().value + checkedIndex()];
  if (slot.variable != Edge::kUnconnected)
    fail<graph_connection_error>("the element is connected already");
  slot = edge;
}

void VertexField::connect(const poplar::Tensor &tensor) {
  requireEdge();
  const TensorData &checked = checkTensor(tensor);
  const bool ofVectors =
      field_->form == Form::vector || field_->form == Form::vectorOfVectors;
  if (index_) {
    checkedIndex();
    requireRank(checked, ofVectors ? 1 : 0);
    keepElement(makeEdge(tensor.getImpl()));
    return;
  }
  requireRank(checked, (ofVectors ? 1 : 0) + (isVectorOfEdges() ? 1 : 0));
  if (isVectorOfEdges()) {
    keep(makeRows(tensor.getImpl()));
    return;
  }
  FieldValue &value = data_.fields[slot_];
  if (value.kind != FieldValue::Kind::none)
    fail<graph_connection_error>("the field is connected already");
  const Edge edge = makeEdge(tensor.getImpl());
  value = {FieldValue::Kind::edges, 1, data_.edges.size()};
  data_.edges.push_back(edge);
}

void VertexField::connect(poplar::ArrayRef<poplar::Tensor> tensors) {
  requireEdge();
  if (!isVectorOfEdges() || index_)
    fail<graph_connection_error>(
        "the field is a single edge, which takes one tensor, not a list of " +
        std::to_string(tensors.size()));
  std::vector<Edge> edges;
  edges.reserve(tensors.size());
  for (const poplar::Tensor &tensor : tensors) {
    requireRank(checkTensor(tensor),
                field_->form == Form::vectorOfVectors ? 1 : 0);
    edges.push_back(makeEdge(tensor.getImpl()));
  }
  keep(edges);
}

} // namespace ipumodel
