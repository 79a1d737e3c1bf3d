// The fields of an executable file, in the order in which they are stored. See
// binary_io.hpp for how these functions are used.
//
// Not stored: source locations, which are used only in messages while building
// a graph, and estimators, whose results are stored with the executable.
#pragma once

#include "poplar/base/binary_io.hpp"
#include "poplar/codelet/codelet_library.hpp"
#include "poplar/device/target_info.hpp"
#include "poplar/program/executable_data.hpp"
#include "poplar/values/type_info.hpp"

#include <tuple>

namespace ipumodel {

class ExecutableWriter : public BinaryWriter<ExecutableWriter> {};

class ExecutableReader : public BinaryReader<ExecutableReader> {
public:
  // `graph` becomes the graph of the tensors that are read.
  ExecutableReader(const char *begin, const char *end, const GraphData &graph)
      : BinaryReader(begin, end), graph(&graph) {}

  const GraphData *const graph;
};

template <> struct Blank<ProgramNode> {
  static ProgramNode make() { return ProgramNode(ProgramNode::Kind::sequence); }
};

template <> struct Blank<poplar::GlobalExchangeFlow> {
  static poplar::GlobalExchangeFlow make() { return {0, 0}; }
};

template <> struct Blank<poplar::GlobalExchangeConstraint> {
  static poplar::GlobalExchangeConstraint make() { return {0, {}}; }
};

template <class Io> void transfer(Io &io, Loop &loop) {
  io(loop.count, loop.stride);
}

template <class Io> void transfer(Io &io, BlockDim &dim) {
  io(dim.begin, dim.extent, dim.loops);
}

template <class Io> void transfer(Io &io, Block &block) {
  io(block.variable, block.offset, block.dims);
}

template <class Io> void transfer(Io &io, View &view) {
  if constexpr (Io::kReading) {
    Shape shape;
    std::vector<Block> blocks;
    io(shape, blocks);
    view = View(std::move(shape), std::move(blocks));
  } else {
    io(view.shape(), view.blocks());
  }
}

template <class Io> void transfer(Io &io, TensorData &tensor) {
  io(tensor.type, tensor.view, tensor.metadata);
  if constexpr (Io::kReading)
    tensor.graph = io.graph;
}

struct MappedRange {
  std::uint64_t begin, end;
  TileId tile;
};

template <class Io> void transfer(Io &io, MappedRange &range) {
  io(range.begin, range.end, range.tile);
}

template <class Io> void transfer(Io &io, Variable &variable) {
  io(variable.type, variable.numElements, variable.name);
  io.choice(variable.kind, Variable::Kind::replicaIndex);
  io(variable.value);
  std::vector<MappedRange> ranges;
  if constexpr (Io::kReading) {
    io(ranges);
    for (const MappedRange &range : ranges) {
      Io::require(range.begin < range.end && range.end <= variable.numElements,
                  "a mapping of elements that are not there");
      variable.mapping.set(range.begin, range.end, range.tile);
    }
  } else {
    variable.mapping.forEach(
        0, variable.numElements,
        [&](std::size_t begin, std::size_t end, TileId tile) {
          if (tile == kNoTile)
            return;
          if (!ranges.empty() && ranges.back().tile == tile &&
              ranges.back().end == begin)
            ranges.back().end = end;
          else
            ranges.push_back({begin, end, tile});
        });
    io(ranges);
  }
}

template <class Io> void transfer(Io &io, InitialValue &value) {
  io(value.tensor, value.elements);
}

template <class Io> void transfer(Io &io, Edge &edge) {
  io(edge.variable, edge.offset, edge.count);
}

template <class Io> void transfer(Io &io, FieldValue &value) {
  io.choice(value.kind, FieldValue::Kind::stateVectors);
  io(value.count, value.value);
}

template <class Io> void transfer(Io &io, StateVector &vector) {
  io(vector.count, vector.elements);
}

template <class Io> void transfer(Io &io, Vertex &vertex) {
  io(vertex.type, vertex.computeSet, vertex.tile, vertex.firstField);
}

template <class Io> void transfer(Io &io, ComputeSetInfo &computeSet) {
  io(computeSet.name, computeSet.vertices, computeSet.natives);
}

template <class Io> void transfer(Io &io, StreamInfo &stream) {
  io(stream.id, stream.handle, stream.type, stream.numElements);
  io.choice(stream.direction, poplar::DataStreamType::DeviceToHostBuffer);
  io.choice(stream.mode, poplar::ReplicatedStreamMode::BROADCAST);
  io(stream.replicationFactor, stream.bufferingDepth);
}

template <class Io> void transfer(Io &io, RemoteBufferInfo &buffer) {
  io(buffer.id, buffer.handle, buffer.type, buffer.numElements, buffer.repeats,
     buffer.replicationFactor, buffer.rearrangeOnHost, buffer.optimiseMemory);
}

template <class Io>
void transfer(Io &io, HostFunctionInfo::Argument &argument) {
  io(argument.type, argument.numElements);
}

template <class Io> void transfer(Io &io, HostFunctionInfo &function) {
  io(function.handle, function.inputs, function.outputs);
}

template <class Io> void transfer(Io &io, FunctionInfo &function) {
  io(function.body);
}

template <class Io> void transfer(Io &io, HostAccess &access) {
  io(access.handle, access.tensor);
}

template <class Io> void transfer(Io &io, poplar::PrintTensorFmt &format) {
  io(format.summariseThreshold, format.edgeItems, format.maxLineWidth,
     format.digits);
  io.choice(format.floatFormat, poplar::PrintTensorFmt::FloatFormat::None);
  io(format.separator, format.openBracket, format.closeBracket);
}

template <class Io> void transfer(Io &io, NativeOp &op) {
  std::string name, parameters;
  if constexpr (!Io::kReading) {
    name = op.what->name();
    parameters = op.what->parameters();
  }
  io(name, op.outputs, op.inputs, parameters);
  if constexpr (Io::kReading)
    op.what = readOperator(name, parameters);
}

template <class Io> void transfer(Io &io, ProgramNode &node) {
  io.choice(node.kind, ProgramNode::Kind::native);
  io.choice(node.noCase, ProgramNode::NoCase::fail);
  io(node.id, node.count, node.children, node.tensors, node.cases,
     node.replicaMap, node.text, node.name, node.op);
  if (node.kind == ProgramNode::Kind::printTensor)
    io(node.format);
}

template <class Io> void transfer(Io &io, poplar::OptionFlags &options) {
  std::vector<std::string> texts; // option, value, option, ...
  if constexpr (Io::kReading) {
    io(texts);
    Io::require(texts.size() % 2 == 0, "an option without a value");
    for (std::size_t i = 0; i < texts.size(); i += 2)
      options.set(texts[i], texts[i + 1]);
  } else {
    for (const auto &[option, value] : options)
      texts.insert(texts.end(), {option, value});
    io(texts);
  }
}

template <class Io> void transfer(Io &io, poplar::GlobalExchangeFlow &flow) {
  io(flow.src, flow.dst);
}

template <class Io>
void transfer(Io &io, poplar::GlobalExchangeConstraint &constraint) {
  io(constraint.bandwidth, constraint.flows);
}

template <class Io>
void transfer(Io &io, poplar::IPUModel::RelativeSyncDelayType &delay) {
  io.choice(delay, poplar::IPUModel::RelativeSyncDelayType::NO_DELAY);
}

template <class Io> void transfer(Io &io, poplar::IPUModel &machine) {
  std::apply(io, fieldsOf(machine));
}

template <class Io> void transfer(Io &io, poplar::Target &target) {
  poplar::TargetType type;
  std::string system;
  poplar::OptionFlags options;
  poplar::IPUModel machine;
  if constexpr (!Io::kReading) {
    const TargetInfo &info = TargetAccess::info(target);
    type = info.type;
    system = info.system;
    options = info.options;
    machine = info.machine;
  }
  io.choice(type, poplar::TargetType::CPU);
  io(system, options, machine);
  if constexpr (Io::kReading)
    target = makeTarget(type, system, options, machine);
}

inline const abi::VertexType &findCodelet(const GraphData &graph,
                                          const std::string &name) {
  for (const auto &library : graph.libraries)
    if (const abi::VertexType *codelet = library->find(name))
      return *codelet;
  throw poplar::unknown_vertex_type(name);
}

// Libraries are stored by content, vertex types by name.
template <class Io> void transferCodelets(Io &io, GraphData &graph) {
  std::vector<std::string> archives;
  std::vector<std::string> types;
  if constexpr (!Io::kReading) {
    for (const auto &library : graph.libraries)
      archives.push_back(library->archive());
    for (const VertexType &type : graph.vertexTypes)
      types.push_back(type.name);
  }
  io(archives, types);
  if constexpr (Io::kReading) {
    for (const std::string &archive : archives)
      graph.libraries.push_back(
          CodeletLibrary::loadArchive(archive, "executable"));
    connectCalls(graph.libraries);
    for (const std::string &name : types) {
      VertexType type{name, &findCodelet(graph, name), {}};
      for (std::uint32_t i = 0; i < type.codelet->numFields; ++i)
        type.fieldIndex.emplace(type.codelet->fields[i].name, i);
      graph.vertexTypes.push_back(std::move(type));
    }
  }
}

template <class Io> void transfer(Io &io, GraphData &graph) {
  io(graph.target, graph.replicationFactor, graph.variables,
     graph.initialValues);
  transferCodelets(io, graph);
  io(graph.computeSets, graph.vertices, graph.fields, graph.edges,
     graph.edgeViews, graph.stateVectors, graph.streams, graph.remoteBuffers,
     graph.hostFunctions, graph.functions, graph.hostReads, graph.hostWrites);
}

template <class Io> void transfer(Io &io, ExecutableData &executable) {
  io(executable.graph, executable.programs, executable.vertexCycles,
     executable.options);
}

} // namespace ipumodel
