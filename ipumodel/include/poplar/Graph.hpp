// The graph: variables, constants, vertices in compute sets, and connections to
// the host, all placed on the tiles of a target. Long, because it is one class
// in the public API.
#pragma once

#include <poplar/ArrayRef.hpp>
#include <poplar/CodeletFileType.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/FunctionBufferMappingType.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/Program.hpp>
#include <poplar/SerializationFormat.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/replication_factor.hpp>

// Poplar programs expect Graph.hpp to include these.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_set>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#endif

namespace ipumodel {
class GraphImpl;
} // namespace ipumodel

namespace poplar {

StringRef versionString();
StringRef packageHash();

// Reorders the elements of a tensor into an order with longer contiguous
// regions, and back.
class TensorRearranger {
public:
  explicit TensorRearranger(std::vector<Interval> order)
      : order_(std::move(order)) {}
  Tensor rearrange(const Tensor &t) const;
  Tensor undoRearrangement(const Tensor &t) const;
  std::vector<Interval> rearrange(ArrayRef<Interval> intervals) const;
  std::vector<Interval> undoRearrangement(ArrayRef<Interval> intervals) const;
  bool valid() const { return !order_.empty(); }

private:
  std::vector<Interval> order_; // intervals of the original, in the new order
};

class Graph {
public:
  using TileToTensorMapping = std::vector<std::vector<Interval>>;
  using HostFunctionArgument = std::tuple<Type, std::size_t>;

  Graph();
  Graph(const Target &target, replication_factor r = replication_factor(1));
  Graph(const Device &device, replication_factor r = replication_factor(1));
  Graph(Graph &&) noexcept;
  Graph &operator=(Graph &&) noexcept;
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
  ~Graph();

  // The target of one replica of this virtual graph.
  const Target &getTarget() const;
  unsigned getReplicationFactor() const;

  // Codelets. Those that take a file return false if it was added before.
  bool addCodelets(StringRef src, CodeletFileType type = CodeletFileType::Auto,
                   StringRef compileFlags = "", StringRef targetName = "");
  bool addCodelets(StringRef src, CodeletFileType type, StringRef compileFlags,
                   std::ostream &compileOutput, StringRef targetName = "");
  bool addCodelets(ArrayRef<std::string> xs, StringRef compileFlags = "",
                   StringRef targetName = "");
  void addCodelets(std::stringstream &stream, StringRef compileFlags = "",
                   CodeletFileType type = CodeletFileType::CppSource,
                   StringRef targetName = "");
  void addCodelets(std::stringstream &stream, StringRef compileFlags,
                   std::ostream &compileOutput,
                   CodeletFileType type = CodeletFileType::CppSource,
                   StringRef targetName = "");
  bool hasCodelet(StringRef name) const;

  // Vertices.
  class ConnectionDesc {
  public:
    ConnectionDesc(StringRef field, Tensor t)
        : field_(field), kind_(Kind::tensor), tensors_{std::move(t)} {}
    ConnectionDesc(StringRef field, ArrayRef<Tensor> ts)
        : field_(field), kind_(Kind::tensors), tensors_(ts.cloneAsVector()) {}
    template <typename T>
    ConnectionDesc(StringRef field, T v,
                   typename std::enable_if<TypeTraits::isSimpleType<T>()>::type
                       * = nullptr)
        : field_(field), kind_(Kind::value), traits_(TypeTraits::make<T>()) {
      static_assert(sizeof(T) <= sizeof(value_), "wider than any field");
      std::memcpy(value_, &v, sizeof(T));
    }

  private:
    friend class Graph;
    enum class Kind { tensor, tensors, value };
    std::string field_;
    Kind kind_;
    std::vector<Tensor> tensors_;
    TypeTraits traits_ = TypeTraits::make<int>();
    unsigned char value_[16];
  };

  VertexRef addVertex(ComputeSet cs, StringRef vertexType);
  VertexRef addVertex(ComputeSet cs, StringRef vertexType,
                      ArrayRef<ConnectionDesc> connections);
  VertexRef addExternalExchangeVertex(ComputeSet cs, StringRef vertexType,
                                      unsigned incomingDownCount,
                                      bool usesEastEdge, bool sendsXReq);
  ComputeSet addComputeSet(const DebugContext &debugContext = {});
  unsigned getNumVertices() const;

  void connect(const FieldRef &field, const Tensor &tensor);
  void connect(const FieldRef &field, ArrayRef<Tensor> tensors);
  // Connects a one-element constant of the field's type.
  template <typename T>
  void connect(const FieldRef &field, T v,
               typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * =
                   nullptr) {
    connectValue(field, &v, TypeTraits::make<T>());
  }

  template <typename T>
  void setInitialValue(
      const FieldRef &field, T val,
      typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * =
          nullptr) {
    setFieldState(field, &val, 1, TypeTraits::make<T>(), false);
  }
  template <typename T>
  void setInitialValue(const FieldRef &field, const std::vector<T> &values) {
    setFieldState(field, values.data(), values.size(), TypeTraits::make<T>(),
                  true);
  }
  void setInitialValue(const FieldRef &field, const std::vector<bool> &values);
  template <typename T>
  void setInitialValue(const FieldRef &field,
                       const std::initializer_list<T> &values) {
    setFieldState(field, values.begin(), values.size(), TypeTraits::make<T>(),
                  true);
  }
  template <typename T>
  void setInitialValue(const FieldRef &field, ArrayRef<T> values) {
    setFieldState(field, values.data(), values.size(), TypeTraits::make<T>(),
                  true);
  }
  // Values given as the bits of IEEE halves.
  void setInitialValueHalf(const FieldRef &field, std::uint16_t val);
  void setInitialValueHalf(const FieldRef &field,
                           ArrayRef<std::uint16_t> values);

  void setFieldSize(const FieldRef &field, std::size_t size);
  std::size_t getFieldSize(const FieldRef &field) const;
  std::size_t getMaxFieldDim(StringRef vertexName, StringRef fieldName,
                             unsigned dimIndex) const;
  double getMaxVertexFieldValue(StringRef vertexName,
                                StringRef fieldName) const;
  template <class T>
  T getMaxVertexFieldValueAs(StringRef vertexName, StringRef fieldName) const {
    return static_cast<T>(getMaxVertexFieldValue(vertexName, fieldName));
  }

  void setPerfEstimate(const VertexRef &v, std::uint64_t cycles,
                       std::uint64_t flops = 0);
  void setPerfEstimate(const VertexRef &v, const VertexPerfEstimate &estimate);
  VertexPerfEstimate getPerfEstimate(const VertexRef &v) const;
  void registerPerfEstimator(StringRef vertexTypeName, PerfEstimateFunc f);
  // Names of SDK 1.x for the functions above.
  void setCycleEstimate(const VertexRef &v, std::uint64_t cycles) {
    setPerfEstimate(v, cycles);
  }
  std::uint64_t getCycleEstimate(const VertexRef &v) const {
    return getPerfEstimate(v).cycles;
  }

  // Variables and constants. A QUARTER variable without metadata gets its own,
  // which the host writes together with the values; until then F143 with scale
  // 0.
  Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape,
                     const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape,
                     VariableMappingMethod mappingMethod,
                     const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, const Tensor &metadata,
                     ArrayRef<std::size_t> shape,
                     const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, const Tensor &metadata,
                     ArrayRef<std::size_t> shape,
                     VariableMappingMethod mappingMethod,
                     const DebugContext &debugContext = {});

  template <typename T>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape,
                     ArrayRef<T> values,
                     const DebugContext &debugContext = {"<const>"}) {
    return addConstantData(type, Tensor(), shape, values.data(), values.size(),
                           TypeTraits::make<T>(), debugContext);
  }
  template <typename T>
  Tensor
  addConstant(const Type &type, ArrayRef<std::size_t> shape, T val,
              const DebugContext &debugContext = {"<const>"},
              typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * =
                  nullptr) {
    return addConstant(type, shape, &val, TypeTraits::make<T>(), true,
                       debugContext);
  }
  template <typename T>
  Tensor
  addConstant(const Type &type, ArrayRef<std::size_t> shape, const T *values,
              const DebugContext &debugContext = {"<const>"},
              typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * =
                  nullptr) {
    return addConstant(type, shape, values, TypeTraits::make<T>(), false,
                       debugContext);
  }
  // `values` has one element if `broadcast`, else one per element of the shape.
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape,
                     const void *values, const TypeTraits &traits,
                     bool broadcast,
                     const DebugContext &debugContext = {"<const>"}) {
    return addConstant(type, Tensor(), shape, values, traits, broadcast,
                       debugContext);
  }
  // The same for QUARTER, in the format and scale of the constant metadata.
  template <typename T>
  Tensor addConstant(const Type &type, const Tensor &metadata,
                     ArrayRef<std::size_t> shape, ArrayRef<T> values,
                     const DebugContext &debugContext = {"<const>"}) {
    return addConstantData(type, metadata, shape, values.data(), values.size(),
                           TypeTraits::make<T>(), debugContext);
  }
  template <typename T>
  Tensor
  addConstant(const Type &type, const Tensor &metadata,
              ArrayRef<std::size_t> shape, T val,
              const DebugContext &debugContext = {"<const>"},
              typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * =
                  nullptr) {
    return addConstant(type, metadata, shape, &val, TypeTraits::make<T>(), true,
                       debugContext);
  }
  template <typename T>
  Tensor
  addConstant(const Type &type, const Tensor &metadata,
              ArrayRef<std::size_t> shape, const T *values,
              const DebugContext &debugContext = {"<const>"},
              typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * =
                  nullptr) {
    return addConstant(type, metadata, shape, values, TypeTraits::make<T>(),
                       false, debugContext);
  }
  Tensor addConstant(const Type &type, const Tensor &metadata,
                     ArrayRef<std::size_t> shape, const void *values,
                     const TypeTraits &traits, bool broadcast,
                     const DebugContext &debugContext = {"<const>"});
  // Values given as the bits of IEEE halves.
  Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape,
                         std::uint16_t val,
                         const DebugContext &debugContext = {"<const>"});
  Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape,
                         const std::uint16_t *values,
                         const DebugContext &debugContext = {"<const>"});
  // One UNSIGNED_INT: the index of the replica that reads it.
  Tensor addReplicationIndexConstant(const DebugContext &debugContext = {});

  // The variable's value after each Engine::load.
  template <typename T>
  void setInitialValue(
      const Tensor &t, T val,
      typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * =
          nullptr) {
    setTensorValue(t, &val, 1, TypeTraits::make<T>(), true);
  }
  template <typename T>
  void setInitialValue(const Tensor &t, ArrayRef<T> values) {
    setTensorValue(t, values.data(), values.size(), TypeTraits::make<T>(),
                   false);
  }
  void setInitialValueHalf(const Tensor &t, std::uint16_t val);
  void setInitialValueHalf(const Tensor &t, ArrayRef<std::uint16_t> values);

  // New variables of the same shape and mapping; data are not copied.
  Tensor clone(const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method =
                   TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Type &type, const Tensor &t,
               const DebugContext &debugContext = {},
               TensorCloneMethod method =
                   TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Tensor &metadata, const Tensor &t,
               const DebugContext &debugContext = {},
               TensorCloneMethod method =
                   TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Type &type, const Tensor &metadata, const Tensor &t,
               const DebugContext &debugContext = {},
               TensorCloneMethod method =
                   TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  // N clones along a new first dimension.
  Tensor cloneN(const Tensor &t, std::size_t N,
                const DebugContext &debugContext = {},
                TensorCloneMethod method =
                    TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  Tensor cloneN(const Type &type, const Tensor &t, std::size_t N,
                const DebugContext &debugContext = {},
                TensorCloneMethod method =
                    TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);

  Tensor getVariable(VariableRef v) const;
  bool isConstant(VariableRef v) const;

  // Tile mapping: per tile of this graph, intervals of the flattened tensor.
  void setTileMapping(VertexRef v, unsigned tile);
  void setTileMapping(const Tensor &t, unsigned tile);
  void setTileMapping(const Tensor &t, const TileToTensorMapping &mapping);
  // Throws for elements without a tile, or on tiles outside this virtual graph,
  // unless told not to.
  TileToTensorMapping getTileMapping(const Tensor &t,
                                     bool requireComplete = true,
                                     bool allowExternal = false) const;
  TileToTensorMapping getTileMapping(const Tensor &t, bool *isComplete,
                                     bool allowExternal = false) const;
  // The same without the constants.
  TileToTensorMapping getVariableTileMapping(const Tensor &t) const;

  // Layout queries.
  std::vector<std::vector<Interval>>
  getSortedContiguousRegions(const Tensor &t, ArrayRef<Interval> regions,
                             bool removeAliasedIntervals = false,
                             std::vector<std::size_t> *aliases = nullptr) const;
  void reorderToSimplify(Tensor *t, ArrayRef<Tensor *> ts,
                         bool requireSimplestOrder = true) const;
  TensorRearranger getSimplifyingRearranger(const Tensor &t) const;
  Tensor findUnbroadcastTensor(const Tensor &t) const;

  // Host access by name.
  void createHostWrite(StringRef handle, const Tensor &t,
                       bool rearrangeOnHost = false);
  void createHostRead(StringRef handle, const Tensor &t,
                      bool rearrangeOnHost = false);
  DataStream addHostToDeviceFIFO(
      StringRef handle, const Type &elementType, std::size_t numElements,
      ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE,
      const OptionFlags &options = {});
  DataStream addDeviceToHostFIFO(StringRef handle, const Type &elementType,
                                 std::size_t numElements,
                                 const OptionFlags &options = {});
  RemoteBuffer addRemoteBuffer(StringRef handle, const Type &elementType,
                               std::size_t numElements, std::size_t repeats = 1,
                               bool rearrangeOnHost = false,
                               bool optimiseMemory = false);
  HostFunction addHostFunction(StringRef handle,
                               ArrayRef<HostFunctionArgument> inputs,
                               ArrayRef<HostFunctionArgument> outputs);

  Function addFunction(const program::Program &program);
  FunctionBuffer addFunctionBuffer(const Function &function,
                                   FunctionBufferMappingType mappingType);

  // Virtual graphs share everything but the numbering of tiles.
  Graph createVirtualGraph(unsigned numTilesPerIPU);
  Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile);
  Graph createVirtualGraph(const std::vector<unsigned> &perIpuTiles);
  Graph getTopLevelGraph();
  unsigned convertVirtualTileToPhysicalTile(unsigned virtualTile) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned physicalTile) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned ipu,
                                            unsigned physicalTile) const;
  unsigned convertTileToTopLevelGraphTile(unsigned tile) const;
  unsigned convertTopLevelGraphTileToTile(unsigned tile) const;

  // Graphviz text; tensors as data.
  void outputVertexGraph(std::ostream &os,
                         ArrayRef<program::Program> progs = {}) const;
  void outputComputeGraph(std::ostream &os,
                          ArrayRef<program::Program> progs = {}) const;
  void serialize(std::ostream &out, SerializationFormat format) const;
  void serialize(std::ostream &out, ArrayRef<program::Program> progs,
                 SerializationFormat format) const;
  void serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors,
                        SerializationFormat format) const;
  std::vector<Tensor> deserializeTensors(std::istream &in,
                                         SerializationFormat format);

  const std::shared_ptr<ipumodel::GraphImpl> &getImpl() const { return impl_; }
  explicit Graph(std::shared_ptr<ipumodel::GraphImpl> impl);

private:
  void connectValue(const FieldRef &field, const void *value,
                    const TypeTraits &traits);
  void setFieldState(const FieldRef &field, const void *values, std::size_t n,
                     const TypeTraits &traits, bool isVector);
  // Throws unless `n` is the number of elements.
  Tensor addConstantData(const Type &type, const Tensor &metadata,
                         ArrayRef<std::size_t> shape, const void *values,
                         std::size_t n, const TypeTraits &traits,
                         const DebugContext &debugContext);
  void setTensorValue(const Tensor &t, const void *values, std::size_t n,
                      const TypeTraits &traits, bool broadcast);

  std::shared_ptr<ipumodel::GraphImpl> impl_;
};

} // namespace poplar
