// A graph as Graphviz text: which vertices, or compute sets, use which
// variables.
#include "poplar/graph/graph_impl.hpp"
#include "poplar/program/program_walk.hpp"

#include <poplar/Graph.hpp>

#include <set>

namespace poplar {

using ipumodel::Edge;
using ipumodel::FieldValue;
using ipumodel::GraphData;
using ipumodel::implOf;
using ipumodel::ProgramNode;
using ipumodel::VariableId;
using ipumodel::Vertex;
namespace abi = ipumodel::abi;

namespace {

// What the programs execute; all compute sets if there are no programs.
struct Executed {
  std::set<std::uint32_t> computeSets;
  // Operations that stand for a compute set, in the order of the programs.
  std::vector<const ProgramNode *> natives;
};

Executed executedBy(const GraphData &graph, ArrayRef<program::Program> progs) {
  Executed executed;
  std::vector<ipumodel::ProgramPtr> roots;
  for (const program::Program &program : progs)
    roots.push_back(program.getImpl());
  if (roots.empty()) {
    for (std::uint32_t i = 0; i < graph.computeSets.size(); ++i)
      executed.computeSets.insert(i);
    return executed;
  }
  for (const ipumodel::FunctionInfo &function : graph.functions)
    roots.push_back(function.body);
  for (const ProgramNode *node : ipumodel::nodesOf(roots)) {
    if (node->kind == ProgramNode::Kind::execute)
      executed.computeSets.insert(node->id);
    if (node->kind == ProgramNode::Kind::native)
      executed.natives.push_back(node);
  }
  return executed;
}

void addVariables(std::set<VariableId> &variables, const ipumodel::View &view) {
  for (const ipumodel::Block &block : view.blocks())
    variables.insert(block.variable);
}

// Calls f(field, variables) for every field with edges.
template <class F>
void forEachField(const GraphData &graph, const Vertex &vertex, F &&f) {
  const abi::VertexType &codelet = *graph.vertexTypes[vertex.type].codelet;
  for (std::uint32_t i = 0; i < codelet.numFields; ++i) {
    const FieldValue &value = graph.fields[vertex.firstField + i];
    if (value.kind != FieldValue::Kind::edges)
      continue;
    std::set<VariableId> variables;
    for (std::uint32_t e = 0; e < value.count; ++e)
      addVariables(variables, viewOf(graph, graph.edges[value.value + e]));
    f(codelet.fields[i], variables);
  }
}

void addOperands(const ProgramNode &native, std::set<VariableId> &read,
                 std::set<VariableId> &written) {
  for (const ipumodel::TensorPtr &input : native.op->inputs)
    addVariables(read, input->view);
  for (const ipumodel::TensorPtr &output : native.op->outputs)
    addVariables(written, output->view);
}

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

void outputVariables(std::ostream &os, const GraphData &graph,
                     const std::set<VariableId> &variables) {
  for (const VariableId id : variables) {
    const ipumodel::Variable &variable = graph.variables[id];
    os << "  var" << id << " [shape=box, label="
       << quoted(nameOf(graph, id) + "\n" + variable.type.toString() + "[" +
                 std::to_string(variable.numElements) + "]")
       << "];\n";
  }
}

// Writes the arrows between a node and the variables of a field.
void outputArrows(std::ostream &os, const std::string &node,
                  const abi::Field &field,
                  const std::set<VariableId> &variables,
                  const std::string &attributes) {
  for (const VariableId id : variables) {
    if (field.direction != abi::Direction::output)
      os << "  var" << id << " -> " << node << attributes << ";\n";
    if (field.direction != abi::Direction::input)
      os << "  " << node << " -> var" << id << attributes << ";\n";
  }
}

// An operation as one node "op<index>", with its arrows.
void outputNative(std::ostream &os, const ProgramNode &native,
                  std::size_t index, const std::string &label,
                  std::set<VariableId> &used) {
  std::set<VariableId> read, written;
  addOperands(native, read, written);
  os << "  op" << index << " [label=" << quoted(label) << "];\n";
  for (const VariableId id : read)
    os << "  var" << id << " -> op" << index << ";\n";
  for (const VariableId id : written)
    os << "  op" << index << " -> var" << id << ";\n";
  used.insert(read.begin(), read.end());
  used.insert(written.begin(), written.end());
}

} // namespace

void Graph::outputVertexGraph(std::ostream &os,
                              ArrayRef<program::Program> progs) const {
  const GraphData &graph = *implOf(*this).data;
  std::set<VariableId> used;
  os << "digraph vertices {\n";
  const Executed executed = executedBy(graph, progs);
  for (const std::uint32_t cs : executed.computeSets) {
    const ipumodel::ComputeSetInfo &info = graph.computeSets[cs];
    os << "  subgraph cluster" << cs << " { label=" << quoted(info.name)
       << ";\n";
    for (const std::uint32_t v : info.vertices)
      os << "    vertex" << v
         << " [label=" << quoted(graph.vertexTypes[graph.vertices[v].type].name)
         << "];\n";
    os << "  }\n";
    for (const std::uint32_t v : info.vertices)
      forEachField(
          graph, graph.vertices[v],
          [&](const abi::Field &field, const std::set<VariableId> &variables) {
            outputArrows(os, "vertex" + std::to_string(v), field, variables,
                         " [label=" + quoted(field.name) + "]");
            used.insert(variables.begin(), variables.end());
          });
  }
  for (std::size_t i = 0; i < executed.natives.size(); ++i) {
    const ProgramNode &native = *executed.natives[i];
    outputNative(os, native, i, native.op->what->vertexType(*native.op), used);
  }
  outputVariables(os, graph, used);
  os << "}\n";
}

void Graph::outputComputeGraph(std::ostream &os,
                               ArrayRef<program::Program> progs) const {
  const GraphData &graph = *implOf(*this).data;
  std::set<VariableId> used;
  os << "digraph computeSets {\n";
  const Executed executed = executedBy(graph, progs);
  for (const std::uint32_t cs : executed.computeSets) {
    const ipumodel::ComputeSetInfo &info = graph.computeSets[cs];
    os << "  cs" << cs << " [label="
       << quoted(info.name + "\n" + std::to_string(info.vertices.size()) +
                 " vertices")
       << "];\n";
    std::set<VariableId> read, written;
    for (const std::uint32_t v : info.vertices)
      forEachField(
          graph, graph.vertices[v],
          [&](const abi::Field &field, const std::set<VariableId> &variables) {
            if (field.direction != abi::Direction::output)
              read.insert(variables.begin(), variables.end());
            if (field.direction != abi::Direction::input)
              written.insert(variables.begin(), variables.end());
          });
    for (const ipumodel::ProgramPtr &native : info.natives)
      addOperands(*native, read, written);
    for (const VariableId id : read)
      os << "  var" << id << " -> cs" << cs << ";\n";
    for (const VariableId id : written)
      os << "  cs" << cs << " -> var" << id << ";\n";
    used.insert(read.begin(), read.end());
    used.insert(written.begin(), written.end());
  }
  for (std::size_t i = 0; i < executed.natives.size(); ++i)
    outputNative(os, *executed.natives[i], i,
                 ipumodel::computeSetNameOf(*executed.natives[i]), used);
  outputVariables(os, graph, used);
  os << "}\n";
}

} // namespace poplar
