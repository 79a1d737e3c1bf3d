// The stored form of report data: a struct is a map from field names to values.
//
// fields(struct, visit) calls visit(name, field) for every stored field; both
// the writer and the reader use it, so they cannot disagree. Names are part of
// the format, see docs/profile_format.md.
#pragma once

#include "pva/report_data.hpp"

#include <type_traits>

namespace ipumodel {
namespace profile {

constexpr const char *kProfileFormat = "ipumodel-profile";
constexpr const char *kDebugFormat = "ipumodel-debug";
constexpr std::uint64_t kFormatVersion = 1;

// `Data` is one of the structs, const or not.
template <class Struct, class Data>
using IsOf =
    std::enable_if_t<std::is_same_v<std::remove_const_t<Data>, Struct>>;

template <class D, class V> IsOf<Target, D> fields(D &d, V &&visit) {
  visit("type", d.type);
  visit("architecture", d.architecture);
  visit("numReplicas", d.numReplicas);
  visit("numIpus", d.numIpus);
  visit("tilesPerIpu", d.tilesPerIpu);
  visit("bytesPerTile", d.bytesPerTile);
  visit("clockFrequency", d.clockFrequency);
}

template <class D, class V> IsOf<Variable, D> fields(D &d, V &&visit) {
  visit("name", d.name);
  visit("type", d.type);
  visit("bytes", d.bytes);
  visit("numTiles", d.numTiles);
  visit("maxTileBytes", d.maxTileBytes);
  visit("constant", d.constant);
}

template <class D, class V> IsOf<Memory, D> fields(D &d, V &&visit) {
  visit("variables", d.variables);
  visit("constants", d.constants);
  visit("vertexState", d.vertexState);
}

template <class D, class V> IsOf<TileCycles, D> fields(D &d, V &&visit) {
  visit("tiles", d.tiles);
  visit("cycles", d.cycles);
}

template <class D, class V> IsOf<ComputeSet, D> fields(D &d, V &&visit) {
  visit("name", d.name);
  visit("tileCycles", d.tileCycles);
  visit("vertexTypes", d.vertexTypes);
  visit("vertexTiles", d.vertexTiles);
  visit("vertexCycles", d.vertexCycles);
}

template <class D, class V> IsOf<Program, D> fields(D &d, V &&visit) {
  visit("type", d.type);
  visit("name", d.name);
  visit("children", d.children);
  visit("ipus", d.ipus);
  visit("computeSet", d.computeSet);
  visit("variables", d.variables);
  visit("cycles", d.cycles);
  visit("bytesIn", d.bytesIn);
  visit("bytesOut", d.bytesOut);
  visit("tileCycles", d.tileCycles);
}

template <class D, class V> IsOf<Compilation, D> fields(D &d, V &&visit) {
  visit("target", d.target);
  visit("numEdges", d.numEdges);
  visit("variables", d.variables);
  visit("memory", d.memory);
  visit("vertexTypes", d.vertexTypes);
  visit("computeSets", d.computeSets);
  visit("programs", d.programs);
}

template <class D, class V> IsOf<Run, D> fields(D &d, V &&visit) {
  visit("name", d.name);
  visit("program", d.program);
  visit("cyclesFrom", d.cyclesFrom);
  visit("cyclesTo", d.cyclesTo);
  visit("steps", d.steps);
  visit("complete", d.complete);
}

template <class D, class V> IsOf<Block, D> fields(D &d, V &&visit) {
  visit("kind", d.kind);
  visit("program", d.program);
  visit("cyclesFrom", d.cyclesFrom);
  visit("cyclesTo", d.cyclesTo);
}

template <class D, class V> IsOf<Execution, D> fields(D &d, V &&visit) {
  visit("hasSteps", d.hasSteps);
  visit("hasBlocks", d.hasBlocks);
  visit("numRuns", d.numRuns);
  visit("executions", d.executions);
  visit("runs", d.runs);
  visit("blocks", d.blocks);
  visit("blocksTile", d.blocksTile);
}

template <class D, class V> IsOf<DebugContext, D> fields(D &d, V &&visit) {
  visit("kind", d.kind);
  visit("name", d.name);
  visit("file", d.file);
  visit("function", d.function);
  visit("line", d.line);
}

template <class D, class V> IsOf<Report, D> fields(D &d, V &&visit) {
  visit("poplarVersion", d.poplarVersion);
  visit("compilation", d.compilation);
  visit("hasExecution", d.hasExecution);
  visit("execution", d.execution);
}

} // namespace profile
} // namespace ipumodel
