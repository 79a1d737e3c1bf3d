// Uses every function of the public headers with its exact type, and every
// default argument. Building this is the test.
#include <poputil/Broadcast.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/GraphFunction.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TensorMetaData.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <type_traits>

namespace {

using namespace poputil;
using poplar::DebugContext;
using poplar::DebugNameAndId;
using poplar::Graph;
using poplar::Interval;
using poplar::Target;
using poplar::Tensor;
using poplar::TensorCloneMethod;
using poplar::Type;
using poplar::program::Program;
using poplar::program::Sequence;
using Shape = std::vector<std::size_t>;
using Intervals = std::vector<Interval>;
using Mapping = std::vector<Intervals>;
using Tensors = std::vector<Tensor>;

// Selects the overload with this type, and no other.
template <class F> void is(F *) {}

void broadcast() {
  is<void(Tensor &, Tensor &)>(expandToMatchRanks);
  is<void(Tensor &, const Shape &)>(broadcastToMatch);
  is<void(Tensor &, Tensor &)>(broadcastToMatch);
  is<void(Tensor &, Tensor &, Tensor &)>(broadcastToMatch);
  is<bool(const Tensor &, const Tensor &)>(canBroadcastToMatch);
}

void linearMapping() {
  is<Mapping(const Graph &, Shape, unsigned, unsigned, unsigned, bool)>(
      calcLinearTileMapping);
  is<Mapping(const Target &, Shape, unsigned, unsigned, unsigned, bool)>(
      calcLinearTileMapping);
  is<Mapping(const Graph &, const Tensor &, unsigned, bool)>(
      calcLinearTileMapping);
  is<Mapping(const Target &, Shape, Type, unsigned, bool)>(
      calcLinearTileMapping);
  is<std::pair<Graph::TileToTensorMapping, unsigned>(const Graph &,
                                                     const Tensor &, unsigned)>(
      calcLinearTileMappingAndNewOffset);
  is<void(Graph &, const Tensor &)>(mapTensorLinearly);
  is<void(Graph &, const Tensor &, unsigned, unsigned)>(mapTensorLinearly);
  is<void(Graph &, const Tensor &, unsigned, bool)>(
      mapTensorLinearlyWithOffset);
  is<void(Graph &, const Tensor &, unsigned, unsigned, unsigned, bool)>(
      mapTensorLinearlyWithOffset);
  is<std::size_t(std::size_t, const Shape &)>(chooseMappingOffset);
  is<std::size_t(std::size_t, const Shape &, std::size_t)>(chooseMappingOffset);
  is<unsigned(unsigned, unsigned, unsigned, bool)>(transformTileIndex);
  is<unsigned(unsigned, unsigned, unsigned, bool)>(invTransformTileIndex);
}

void linearMappingDefaults(Graph &graph, const Target &target,
                           const Tensor &t) {
  calcLinearTileMapping(graph, {2, 3}, 1, 1);
  calcLinearTileMapping(target, {2, 3}, 1, 1);
  calcLinearTileMapping(graph, t);
  calcLinearTileMapping(target, {2, 3}, poplar::FLOAT);
  calcLinearTileMappingAndNewOffset(graph, t);
  mapTensorLinearlyWithOffset(graph, t);
  mapTensorLinearlyWithOffset(graph, t, 1u, 1u, 1u);
}

void mappingQueries() {
  is<unsigned(const Graph::TileToTensorMapping &, unsigned, unsigned)>(
      getTileImbalance);
  is<unsigned(const Graph &, const Tensor &, unsigned, unsigned)>(
      getTileImbalance);
  is<bool(const Graph &, const Tensor &, unsigned)>(dimIsSplitOverTiles);
  is<bool(const Graph &, const Tensor &, unsigned)>(dimIsSplitOverIPUs);
  is<Tensor(Graph &, const Tensor &, const Type &, unsigned, bool,
            const DebugContext &)>(createBroadcastOperand);
}

void mappingQueryDefaults(Graph &graph, const Tensor &t) {
  getTileImbalance(Mapping());
  getTileImbalance(graph, t);
  createBroadcastOperand(graph, t, poplar::FLOAT, 0);
}

void useTracker(Graph &graph, const Tensor &t) {
  TensorUseTracker tracker(4);
  TensorUseTracker other(4, 1, false);
  other = tracker;
  tracker.add(graph, 0u, t);
  tracker.add(std::move(other));
  tracker.resolve(graph, 1u, 1u);
  tracker.mapTensorsByUse(graph, 1u, 1u);
  tracker.resolve(graph, 1u, 1u, true,
                  TensorUseTracker::MappingMethod::OptimizeHaloRegions);
  tracker.mapTensorsByUse(
      graph, 1u, 1u, true,
      TensorUseTracker::MappingMethod::ConstrainMappingToUsedTiles);
  static_assert(std::is_same<decltype(tracker.empty()), bool>::value, "");
}

void tileClones() {
  is<Tensor(Graph &, const Tensor &, unsigned, const DebugContext &,
            TensorCloneMethod)>(cloneToIpu);
  is<Tensor(Graph &, Graph &, const Tensor &, const DebugContext &,
            TensorCloneMethod)>(cloneToGraph);
  is<std::pair<Tensor, unsigned>(Graph &, const Tensor &, unsigned,
                                 const DebugContext &)>(cloneAndExpandAliasing);
  is<Tensor(Graph &, const Tensor &, Sequence &, unsigned, const DebugContext &,
            TensorCloneMethod)>(copyToIpu);
  is<Tensor(Graph &, const Tensor &, unsigned, Tensor &, Tensor &,
            const DebugContext &, TensorCloneMethod)>(createIpuCopy);
}

void tileCloneDefaults(Graph &graph, const Tensor &t, Sequence &prog) {
  Tensor src, dst;
  cloneToIpu(graph, t, 1);
  cloneToGraph(graph, graph, t);
  cloneAndExpandAliasing(graph, t);
  copyToIpu(graph, t, prog, 1);
  copyToIpu(graph, t, prog, 1, "name");
  createIpuCopy(graph, t, 1, src, dst);
}

void regions() {
  is<void(Intervals &)>(mergeAdjacentRegions);
  is<void(Mapping &)>(mergeAdjacentRegions);
  is<Intervals(const Mapping &)>(flattenIntervals);
  is<std::size_t(const Mapping &)>(intervalSequenceNumElements);
  is<Intervals(const Intervals &)>(calculateUnshufflingIntervals);
  is<Mapping(const Intervals &, unsigned, unsigned, unsigned, unsigned,
             unsigned)>(splitRegions);
  is<std::vector<Mapping>(const Mapping &, unsigned, unsigned, unsigned,
                          unsigned, unsigned)>(splitRegions);
  is<Mapping(const Target &, const Intervals &, unsigned, unsigned, unsigned,
             unsigned)>(splitRegionsBetweenWorkers);
  is<std::vector<Mapping>(const Target &, const Mapping &, unsigned, unsigned,
                          unsigned, unsigned)>(splitRegionsBetweenWorkers);
  is<Shape(const Shape &, std::size_t)>(unflattenIndex<std::size_t>);
  is<std::size_t(const Shape &, const Shape &)>(flattenIndex<std::size_t>);
  is<std::vector<int>(int, int)>(balancedPartition);
}

void regionDefaults(const Target &target) {
  splitRegions({{0, 8}}, 1, 1);
  splitRegions(Mapping{{{0, 8}}}, 1, 1);
  splitRegionsBetweenWorkers(target, Intervals{{0, 8}}, 1);
  splitRegionsBetweenWorkers(target, Mapping{{{0, 8}}}, 1);
}

void tensorHelpers() {
  is<Tensor(Graph &, const Tensor &, Sequence &, const DebugContext &,
            TensorCloneMethod)>(duplicate);
  is<Tensor(Graph &, const Tensor &, unsigned, const DebugContext &,
            TensorCloneMethod)>(cloneN);
  is<double(const Target &, double)>(castToDeviceHalfValue);
  is<bool(const Target &, double, Type, Type, double)>(checkAccuracyWhenCast);
  is<Tensor(const Tensor &, const Shape &, unsigned)>(factorDims);
  is<Tensor(const Tensor &, unsigned, unsigned)>(unfactorDims);
  is<Tensor(Graph &, poplar::QuarterMetadata::Format, int)>(
      createConstantMetadataTensor);
  is<Tensor(Graph &, poplar::QuarterMetadata::Format, int)>(
      createVariableMetadataTensor);
}

void tensorHelperDefaults(Graph &graph, const Tensor &t, Sequence &prog) {
  duplicate(graph, t, prog);
  cloneN(graph, t, 2);
  factorDims(t, {1});
  unfactorDims(t, 1);
}

void varStructure(Graph &graph) {
  is<unsigned(const Graph &, const Tensor &)>(detectInnermostGrouping);
  is<std::vector<GroupingInfo>(const Graph &, const Tensor &)>(
      detectDimGroupings);
  is<Tensor(Graph &, const Type &, const Shape &, const Shape &,
            const DebugContext &)>(createPartitionableTensor);
  is<void(const Tensor &, const Shape &,
          const std::function<void(const Shape &, const Tensor &)> &)>(
      iterateTensorPartitions);
  createPartitionableTensor(graph, poplar::FLOAT, {2}, {1});
}

void graphFunctions(Graph &graph, const Tensor &t, Sequence &prog) {
  using namespace graphfn;
  is<ArgSig(Tensor, std::string)>(input);
  is<ArgSig(Tensor, std::string)>(inout);
  is<ArgSig(Tensor, std::string)>(output);
  is<ArgSig(std::string)>(created);
  const Signature sig = {input(t), inout(t), output(t), created()};
  static_assert(std::is_same<decltype(ArgSig::type), graphfn::ArgType>::value,
                "");

  VoidFunction plain(graph, sig, [](Tensors &, Sequence &) {});
  VoidFunction named(
      graph, sig, [](Tensors &, Sequence &, const DebugNameAndId &) {}, true,
      "name");
  VoidFunction moved(std::move(plain));
  ProgramFunction program(graph, sig,
                          [](Tensors &) -> Program { return Sequence(); });
  ProgramFunction namedProgram(
      graph, sig,
      [](Tensors &, const DebugNameAndId &) -> Program { return Sequence(); },
      true, "name");
  TensorFunction tensor(graph, sig,
                        [](Tensors &args, Sequence &) { return args[0]; });
  TensorFunction namedTensor(
      graph, sig,
      [](Tensors &args, Sequence &, const DebugNameAndId &) { return args[0]; },
      true, "name");

  Tensors args;
  moved(args, prog);
  named(args, prog, "name");
  const Program called = program(args);
  const Program calledNamed = namedProgram(args, "name");
  const Tensor result = tensor(args, prog);
  const Tensor resultNamed = namedTensor(args, prog, "name");
}

void vertexTemplates() {
  std::string name = templateVertex("V");
  name = templateVertex("V", poplar::FLOAT, true, 4u, "text", name);
  name = VertexTemplateToString<unsigned>::to_string(4);
}

void options() {
  using namespace poplibs;
  bool flag;
  unsigned number;
  double ratio;
  std::string text;
  int colour;
  std::vector<unsigned> list;
  const OptionSpec spec{
      {"flag", OptionHandler::createWithBool(flag)},
      {"number", OptionHandler::createWithInteger(number)},
      {"ratio", OptionHandler::createWithDouble(ratio)},
      {"bounded", OptionHandler::createWithDouble(ratio, 0., true, 1., false)},
      {"text", OptionHandler::createWithString(text)},
      {"colour", OptionHandler::createWithEnum(
                     colour, std::map<std::string, int>{{"red", 1}})},
      {"braced", OptionHandler::createWithEnum(colour, {{"red", 1}})},
      {"list", OptionHandler::createWithList(list)},
      {"own", OptionHandler([](poplar::StringRef) {})}};
  spec.parse("flag", "true");
  spec.parse("flag", "true", true);
  is<int(const poplar::StringRef &)>(parse::asInteger<int>);
  is<float(const poplar::StringRef &)>(parse::asFloatingPoint<float>);
  is<int(const poplar::StringRef &, const std::map<std::string, int> &)>(
      parse::asEnum<int>);
  is<bool(const poplar::StringRef &)>(parse::asBool);
  is<void(double, const double &, bool, const double &, bool)>(
      OptionHandler::ensureValueIsWithinBounds<double>);
#if __cplusplus >= 201703L
  std::optional<double> maybeRatio;
  std::optional<int> maybeColour;
  const OptionSpec optional{
      {"ratio", createOptionalDoubleHandler(maybeRatio)},
      {"colour", createOptionalEnumHandler(maybeColour, {{"red", 1}})}};
#endif
}

void debugInfo(const DebugContext &debugContext, const Tensor &t, Type type,
               const poplar::OptionFlags &options, const Shape &shape) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, type, options, shape));
  PoplibsOpDebugInfo bare(debugContext);
  PoplibsOpDebugInfo named(debugContext, {}, "api");
  di.addOutput(t);
  di.addOutputs({{"t", toProfileValue(t)}});
  di.addOutputs(DI_ARGS(t));
  di.add("more", toProfileValue(1u));
  const poplar::DebugInfo &base = di;
  const DebugContext inner{base, "inner"};
  const std::pair<std::string, const poplar::ProfileValue> pair("x", 1);
  const poputil::ArgType fromPair(pair);
}

void errors() {
  static_assert(std::is_base_of<std::runtime_error, poplibs_error>::value, "");
  static_assert(std::is_same<decltype(poplibs_error::type), std::string>::value,
                "");
  static_assert(!std::is_convertible<const char *, poplibs_error>::value &&
                    !std::is_convertible<std::string, poplibs_error>::value,
                "both constructors are explicit");
  const poplibs_error fromLiteral("message");
  const poplibs_error fromString(std::string("message"));
}

static_assert(std::is_copy_constructible<TensorMetaData>::value &&
                  std::is_move_assignable<TensorMetaData>::value,
              "");

} // namespace

// Declared, so that none of the functions above is unused.
void nameEverySignature(Graph &graph, const Tensor &t, Sequence &prog);

void nameEverySignature(Graph &graph, const Tensor &t, Sequence &prog) {
  const Target &target = graph.getTarget();
  broadcast();
  linearMapping();
  linearMappingDefaults(graph, target, t);
  mappingQueries();
  mappingQueryDefaults(graph, t);
  useTracker(graph, t);
  tileClones();
  tileCloneDefaults(graph, t, prog);
  regions();
  regionDefaults(target);
  tensorHelpers();
  tensorHelperDefaults(graph, t, prog);
  varStructure(graph);
  graphFunctions(graph, t, prog);
  vertexTemplates();
  options();
  debugInfo("name", t, poplar::FLOAT, {}, {});
  errors();
}
