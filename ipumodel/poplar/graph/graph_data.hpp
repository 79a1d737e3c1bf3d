// The whole content of a graph as plain data: Graph fills it in, the checks
// read it, executables store it and the engine makes its plan from it.
//
// Objects refer to each other by index. Views are immutable and shared.
#pragma once

#include "poplar/codelet/codelet_abi.hpp"
#include "poplar/view/tile_map.hpp"
#include "poplar/view/view.hpp"

#include <poplar/DataStream.hpp>
#include <poplar/DataStreamType.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ipumodel {

class CodeletLibrary;
class CodeletLibrary;
struct GraphData;
struct ProgramNode;

// The data of a poplar::Tensor.
struct TensorData {
  const GraphData *graph; // whose variables the view names; executables
                          // outlive it and only compare
  poplar::Type type;
  View view;
  std::shared_ptr<const TensorData> metadata; // of QUARTER tensors
};
using TensorPtr = std::shared_ptr<const TensorData>;

using Bytes = std::vector<char>;

struct Variable {
  enum class Kind : std::uint8_t { variable, constant, replicaIndex };
  poplar::Type type;
  std::size_t numElements;
  std::string name;
  poplar::SourceLocation location;
  Kind kind;
  // For a constant: all elements, or one if they are all equal.
  std::shared_ptr<const Bytes> value;
  TileMap mapping; // tiles of the top-level graph
};

// Elements connected to one field, or to one row of a field. Almost all are
// consecutive elements of one variable; others are stored as views.
struct Edge {
  static constexpr VariableId kUnconnected = ~VariableId(0);
  static constexpr VariableId kView = kUnconnected - 1;
  VariableId variable = kUnconnected;
  std::size_t offset = 0; // or index into GraphData::edgeViews
  std::size_t count = 0;
};

// The connection, or the value, of one field of one vertex.
struct FieldValue {
  enum class Kind : std::uint32_t {
    none,
    edges,        // `count` entries of GraphData::edges starting at `value`
    stateScalar,  // the device bits, in `value`
    stateVectors, // `count` entries of GraphData::stateVectors starting at
                  // `value`
  };
  Kind kind = Kind::none;
  std::uint32_t count = 0;
  std::uint64_t value = 0;
};

struct StateVector {
  std::size_t count;
  Bytes elements;
};

struct Vertex {
  std::uint32_t type; // of GraphData::vertexTypes
  std::uint32_t computeSet;
  TileId tile;
  std::uint32_t firstField; // of GraphData::fields; as many as the type has
};

struct VertexType {
  std::string name;
  const abi::VertexType *codelet;
  std::map<std::string, std::uint32_t, std::less<>> fieldIndex;
};

VertexType makeVertexType(std::string name, const abi::VertexType &codelet);

struct ComputeSetInfo {
  std::string name;
  poplar::SourceLocation location;
  std::vector<std::uint32_t> vertices = {};
  // Native operations that run together with the vertices.
  std::vector<std::shared_ptr<const ProgramNode>> natives = {};
};

struct StreamInfo {
  std::uint32_t id;
  std::string handle;
  poplar::Type type;
  std::size_t numElements;
  poplar::DataStreamType direction;
  poplar::ReplicatedStreamMode mode;
  unsigned replicationFactor;
  unsigned bufferingDepth;

  // Throws for a default-constructed handle.
  static const StreamInfo &of(const poplar::DataStream &stream);
};

struct RemoteBufferInfo {
  std::uint32_t id;
  std::string handle;
  poplar::Type type;
  std::size_t numElements;
  std::size_t repeats;
  unsigned replicationFactor;
  bool rearrangeOnHost;
  bool optimiseMemory;

  static const RemoteBufferInfo &of(const poplar::RemoteBuffer &buffer);
};

struct HostFunctionInfo {
  struct Argument {
    poplar::Type type;
    std::size_t numElements;
  };
  std::string handle;
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;
};

struct FunctionInfo {
  std::shared_ptr<const ProgramNode> body;
};

// A tensor the host may read or write by name.
struct HostAccess {
  std::string handle;
  TensorPtr tensor;
};

struct InitialValue {
  TensorPtr tensor;
  Bytes elements; // all elements, or one if they are all equal
};

struct GraphData {
  poplar::Target target; // of one replica
  unsigned replicationFactor = 1;

  std::vector<Variable> variables;
  std::vector<InitialValue> initialValues; // in the order they were set

  std::vector<std::shared_ptr<const CodeletLibrary>> libraries;
  std::vector<VertexType> vertexTypes; // those used by vertices
  std::vector<ComputeSetInfo> computeSets;
  std::vector<Vertex> vertices;
  std::vector<FieldValue> fields;
  std::vector<Edge> edges;
  std::vector<std::shared_ptr<const View>> edgeViews;
  std::vector<StateVector> stateVectors;
  std::unordered_map<std::uint32_t, poplar::VertexPerfEstimate> perfEstimates;
  std::map<std::string, poplar::PerfEstimateFunc> estimators; // by vertex type

  std::vector<std::shared_ptr<const StreamInfo>> streams;
  std::vector<std::shared_ptr<const RemoteBufferInfo>> remoteBuffers;
  std::vector<HostFunctionInfo> hostFunctions;
  std::vector<FunctionInfo> functions;
  std::vector<HostAccess> hostReads;
  std::vector<HostAccess> hostWrites;
};

inline const abi::Field *fieldsOf(const GraphData &graph, const Vertex &v) {
  return graph.vertexTypes[v.type].codelet->fields;
}

// The elements of an edge as a view.
View viewOf(const GraphData &graph, const Edge &edge);

// Estimated cycles of a vertex: as set, else from the registered estimator,
// else the default of cycle_estimate.cpp.
poplar::VertexPerfEstimate estimateVertex(const GraphData &graph,
                                          std::uint32_t vertex);

} // namespace ipumodel
