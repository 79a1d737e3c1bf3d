// Graphs and tensors as bytes, or as readable JSON.
#include "poplar/base/json.hpp"
#include "poplar/graph/tensor_checks.hpp"
#include "poplar/program/executable_format.hpp"

#include <poplar/Graph.hpp>

#include <iterator>
#include <unordered_map>

namespace poplar {

using ipumodel::Block;
using ipumodel::Edge;
using ipumodel::FieldValue;
using ipumodel::GraphData;
using ipumodel::GraphImpl;
using ipumodel::implOf;
using ipumodel::Run;
using ipumodel::TensorData;
using ipumodel::TensorPtr;
using ipumodel::Variable;
using ipumodel::VariableId;
using ipumodel::View;
using ipumodel::writeJsonString;
namespace abi = ipumodel::abi;

namespace {

// [a, b, c]
template <class Values, class Write>
void writeArray(std::ostream &out, const Values &values, Write &&write) {
  out << '[';
  const char *separator = "";
  for (const auto &value : values) {
    out << separator;
    write(value);
    separator = ",";
  }
  out << ']';
}

void writeNumbers(std::ostream &out, const std::vector<std::size_t> &numbers) {
  writeArray(out, numbers, [&](std::size_t n) { out << n; });
}

// [[variable, begin, end], ...]
void writeView(std::ostream &out, const View &view) {
  writeArray(out, view.runs(), [&](const Run &run) {
    writeNumbers(out, {run.variable, run.offset, run.offset + run.count});
  });
}

void writeVariable(std::ostream &out, const Variable &variable) {
  out << "{\"name\":";
  writeJsonString(out, variable.name);
  out << ",\"type\":\"" << variable.type
      << "\",\"numElements\":" << variable.numElements
      << ",\"constant\":" << (ipumodel::isConstant(variable) ? "true" : "false")
      << ",\"mapping\":[";
  const char *separator = "";
  variable.mapping.forEach(
      0, variable.numElements,
      [&](std::size_t begin, std::size_t end, ipumodel::TileId tile) {
        if (tile == ipumodel::kNoTile)
          return;
        out << separator;
        writeNumbers(out, {tile, begin, end});
        separator = ",";
      });
  out << "]}";
}

void writeVertex(std::ostream &out, const GraphData &graph,
                 const ipumodel::Vertex &vertex) {
  const abi::VertexType &codelet = *graph.vertexTypes[vertex.type].codelet;
  out << "{\"type\":";
  writeJsonString(out, codelet.name);
  if (vertex.tile != ipumodel::kNoTile)
    out << ",\"tile\":" << vertex.tile;
  out << ",\"edges\":{";
  const char *separator = "";
  for (std::uint32_t i = 0; i < codelet.numFields; ++i) {
    const FieldValue &value = graph.fields[vertex.firstField + i];
    if (value.kind != FieldValue::Kind::edges)
      continue;
    out << separator;
    separator = ",";
    writeJsonString(out, codelet.fields[i].name);
    out << ':';
    const auto first =
        graph.edges.begin() + static_cast<std::ptrdiff_t>(value.value);
    writeArray(out, std::vector<Edge>(first, first + value.count),
               [&](const Edge &edge) { writeView(out, viewOf(graph, edge)); });
  }
  out << "}}";
}

void writeTensor(std::ostream &out, const TensorData &tensor) {
  out << "{\"type\":\"" << tensor.type << "\",\"shape\":";
  writeNumbers(out, tensor.view.shape());
  out << ",\"regions\":";
  writeView(out, tensor.view);
  out << '}';
}

void writeGraph(std::ostream &out, const GraphData &graph) {
  out << "{\"numIPUs\":" << graph.target.getNumIPUs()
      << ",\"tilesPerIPU\":" << graph.target.getTilesPerIPU()
      << ",\"replicationFactor\":" << graph.replicationFactor
      << ",\"variables\":";
  writeArray(out, graph.variables,
             [&](const Variable &variable) { writeVariable(out, variable); });
  out << ",\"computeSets\":";
  writeArray(out, graph.computeSets,
             [&](const ipumodel::ComputeSetInfo &computeSet) {
               out << "{\"name\":";
               writeJsonString(out, computeSet.name);
               out << ",\"vertices\":";
               writeArray(out, computeSet.vertices, [&](std::uint32_t v) {
                 writeVertex(out, graph, graph.vertices[v]);
               });
               out << '}';
             });
  out << ",\"streams\":";
  writeArray(out, graph.streams, [&](const auto &stream) {
    out << "{\"handle\":";
    writeJsonString(out, stream->handle);
    out << ",\"type\":\"" << stream->type
        << "\",\"numElements\":" << stream->numElements << '}';
  });
}

// Some tensors, and their variables; the tensors refer to these.
struct TensorBundle {
  std::vector<Variable> variables;
  std::vector<TensorPtr> tensors;
};

template <class Io> void transfer(Io &io, TensorBundle &bundle) {
  io(bundle.variables, bundle.tensors);
}

// Calls change(id) on every variable of the tensor.
template <class Change>
TensorPtr renumber(const TensorData &tensor, const GraphData *graph,
                   Change &&change) {
  std::vector<Block> blocks = tensor.view.blocks();
  for (Block &block : blocks)
    block.variable = change(block.variable);
  return std::make_shared<TensorData>(TensorData{
      graph, tensor.type, View(tensor.view.shape(), std::move(blocks)),
      tensor.metadata ? renumber(*tensor.metadata, graph, change) : nullptr});
}

} // namespace

void Graph::serialize(std::ostream &out, SerializationFormat format) const {
  serialize(out, {}, format);
}

void Graph::serialize(std::ostream &out, ArrayRef<program::Program> progs,
                      SerializationFormat format) const {
  const GraphData &graph = *implOf(*this).data;
  if (format == SerializationFormat::Binary) {
    ipumodel::ExecutableData executable;
    executable.graph = graph;
    for (const program::Program &program : progs)
      executable.programs.push_back(program.getImpl());
    writeExecutable(out, executable);
    return;
  }
  writeGraph(out, graph);
  out << ",\"programs\":";
  writeArray(out, progs, [&](const program::Program &program) {
    std::ostringstream text;
    dumpProgram(*this, program, text);
    writeJsonString(out, text.str());
  });
  out << "}\n";
}

void Graph::serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors,
                             SerializationFormat format) const {
  const GraphImpl &impl = implOf(*this);
  TensorBundle bundle;
  std::unordered_map<VariableId, VariableId> numbers;
  const auto number = [&](VariableId id) {
    const auto [found, isNew] = numbers.try_emplace(
        id, static_cast<VariableId>(bundle.variables.size()));
    if (isNew)
      bundle.variables.push_back(impl.data->variables[id]);
    return found->second;
  };
  for (const Tensor &tensor : tensors)
    bundle.tensors.push_back(renumber(impl.check(tensor, "serializeTensors"),
                                      impl.data.get(), number));
  if (format == SerializationFormat::Binary) {
    ipumodel::ExecutableWriter writer;
    writer(bundle);
    out << writer.bytes();
    return;
  }
  out << "{\"variables\":";
  writeArray(out, bundle.variables,
             [&](const Variable &variable) { writeVariable(out, variable); });
  out << ",\"tensors\":";
  writeArray(out, bundle.tensors,
             [&](const TensorPtr &tensor) { writeTensor(out, *tensor); });
  out << "}\n";
}

std::vector<Tensor> Graph::deserializeTensors(std::istream &in,
                                              SerializationFormat format) {
  if (format != SerializationFormat::Binary)
    throw poplar_error("deserializeTensors: only the binary form can be read");
  GraphImpl &impl = implOf(*this);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  ipumodel::ExecutableReader reader(bytes.data(), bytes.data() + bytes.size(),
                                    *impl.data);
  TensorBundle bundle;
  reader(bundle);
  const auto first = static_cast<VariableId>(impl.data->variables.size());
  const auto number = [&](VariableId id) {
    ipumodel::ExecutableReader::require(id < bundle.variables.size(),
                                        "a variable that is not there");
    return first + id;
  };
  std::vector<Tensor> tensors;
  for (const TensorPtr &tensor : bundle.tensors)
    tensors.emplace_back(renumber(*tensor, impl.data.get(), number));
  std::move(bundle.variables.begin(), bundle.variables.end(),
            std::back_inserter(impl.data->variables));
  return tensors;
}

} // namespace poplar
