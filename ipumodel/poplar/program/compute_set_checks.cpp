#include "poplar/program/compute_set_checks.hpp"

#include "poplar/graph/graph_impl.hpp"
#include "poplar/program/program_node.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>

namespace ipumodel {

namespace {

// Consecutive elements that a field of a vertex, or a native operation, writes.
struct Write {
  VariableId variable;
  std::uint32_t vertex; // or kNative
  std::uint32_t field;  // or index of the native operation
  std::size_t begin;
  std::size_t end;
};

constexpr std::uint32_t kNative = ~std::uint32_t(0);

class ComputeSetCheck {
public:
  ComputeSetCheck(const GraphData &graph, const ComputeSetInfo &computeSet,
                  TileMappingCheck &mappingCheck)
      : graph_(graph), computeSet_(computeSet), mappingCheck_(mappingCheck) {}

  void run() {
    for (std::uint32_t vertex : computeSet_.vertices)
      checkVertex(vertex);
    for (std::uint32_t i = 0; i < computeSet_.natives.size(); ++i)
      for (const TensorPtr &output : computeSet_.natives[i]->op->outputs)
        output->view.forEachRun([&](const Run &run) {
          writes_.push_back(
              {run.variable, kNative, i, run.offset, run.offset + run.count});
        });
    checkWrites();
  }

private:
  void checkVertex(std::uint32_t id) {
    const Vertex &vertex = graph_.vertices[id];
    const abi::VertexType &type = *graph_.vertexTypes[vertex.type].codelet;
    if (vertex.tile == kNoTile)
      throw poplar::invalid_tile_mapping(
          prefixOf(computeSet_.location) + "A vertex of type " +
          graph_.vertexTypes[vertex.type].name + " in compute set '" +
          computeSet_.name + "' is not mapped to a tile");
    for (std::uint32_t field = 0; field < type.numFields; ++field)
      checkField(id, field, type.fields[field]);
  }

  void checkField(std::uint32_t vertex, std::uint32_t index,
                  const abi::Field &field) {
    const FieldValue &value =
        graph_.fields[graph_.vertices[vertex].firstField + index];
    const bool isState = field.direction == abi::Direction::state;
    if (value.kind == FieldValue::Kind::none) {
      // State that was never set is zero, but its vectors need a size.
      if (isState ? field.form != abi::Form::scalar
                  : field.form >= abi::Form::vectorOfScalars)
        throw poplar::no_size_specified(nameOfField(vertex, index) +
                                        " has no size");
      if (!isState)
        throw poplar::graph_connection_error(nameOfField(vertex, index) +
                                             " is not connected");
      return;
    }
    if (isState)
      return;
    for (std::uint32_t i = 0; i < value.count; ++i) {
      const Edge &edge = graph_.edges[value.value + i];
      if (edge.variable == Edge::kUnconnected)
        throw poplar::graph_connection_error(nameOfField(vertex, index) + "[" +
                                             std::to_string(i) +
                                             "] is not connected");
      mappingCheck_.add(edge);
      if (field.direction != abi::Direction::input)
        addWrites(edge, vertex, index);
    }
  }

  void addWrites(const Edge &edge, std::uint32_t vertex, std::uint32_t field) {
    const auto add = [&](const Run &run) {
      if (graph_.variables[run.variable].kind != Variable::Kind::variable)
        throw poplar::graph_connection_error(
            nameOfField(vertex, field) + " writes to constant '" +
            ipumodel::nameOf(graph_, run.variable) + "'");
      writes_.push_back(
          {run.variable, vertex, field, run.offset, run.offset + run.count});
    };
    if (edge.variable == Edge::kView)
      graph_.edgeViews[edge.offset]->forEachRun(add);
    else if (edge.count != 0)
      add({edge.variable, edge.offset, edge.count});
  }

  void checkWrites() {
    const auto before = [](const Write &a, const Write &b) {
      return a.variable != b.variable ? a.variable < b.variable
                                      : a.begin < b.begin;
    };
    if (!std::is_sorted(writes_.begin(), writes_.end(), before))
      std::stable_sort(writes_.begin(), writes_.end(), before);
    // So far none overlap, so only the last one can reach into the next.
    for (std::size_t i = 1; i < writes_.size(); ++i) {
      const Write &last = writes_[i - 1];
      const Write &next = writes_[i];
      if (last.variable == next.variable && last.end > next.begin)
        throw poplar::graph_cycle_error(
            nameOf(next) + " writes to elements [" +
            std::to_string(next.begin) + ":" +
            std::to_string(std::min(last.end, next.end)) + ") of variable '" +
            ipumodel::nameOf(graph_, next.variable) +
            "' that are written to elsewhere in same compute set");
    }
  }

  std::string nameOf(const Write &write) const {
    if (write.vertex != kNative)
      return nameOfField(write.vertex, write.field);
    return prefixOf(computeSet_.location) + "Operation " +
           computeSet_.natives[write.field]->op->what->name();
  }

  std::string nameOfField(std::uint32_t vertex, std::uint32_t field) const {
    const VertexType &type = graph_.vertexTypes[graph_.vertices[vertex].type];
    return prefixOf(computeSet_.location) + "Field " + type.name + "." +
           type.codelet->fields[field].name;
  }

  const GraphData &graph_;
  const ComputeSetInfo &computeSet_;
  TileMappingCheck &mappingCheck_;
  std::vector<Write> writes_;
};

} // namespace

void checkComputeSet(const GraphData &graph, const ComputeSetInfo &computeSet,
                     TileMappingCheck &mappingCheck) {
  ComputeSetCheck(graph, computeSet, mappingCheck).run();
}

} // namespace ipumodel
