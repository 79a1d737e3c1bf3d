#include "poplar/profile/profile_programs.hpp"

#include "poplar/estimate/exchange.hpp"
#include "poplar/plan/block_profiling.hpp"
#include "poplar/profile/profile_graph.hpp"
#include "poplar/program/program_walk.hpp"
#include "poplar/values/type_info.hpp"
#include "poplar/vertex/vertex_edges.hpp"

#include <algorithm>
#include <set>

namespace ipumodel {

namespace {

using Kind = ProgramNode::Kind;
using profile::ProgramType;

void addVariables(std::set<std::uint32_t> &variables, const View &view) {
  for (const Block &block : view.blocks())
    variables.insert(block.variable);
}

std::vector<std::uint32_t> variablesOf(const ProgramNode &node) {
  std::set<std::uint32_t> variables;
  for (const TensorPtr &tensor : node.tensors)
    addVariables(variables, tensor->view);
  if (node.op)
    for (const auto *operands : {&node.op->outputs, &node.op->inputs})
      for (const TensorPtr &tensor : *operands)
        addVariables(variables, tensor->view);
  return {variables.begin(), variables.end()};
}

std::vector<std::uint32_t> variablesOf(const GraphData &graph,
                                       const ComputeSetInfo &computeSet) {
  std::set<std::uint32_t> variables;
  for (const std::uint32_t vertex : computeSet.vertices)
    forEachEdge(graph, vertex, [&](const abi::Field &, const Edge &edge) {
      if (edge.variable == Edge::kView)
        addVariables(variables, *graph.edgeViews[edge.offset]);
      else
        variables.insert(edge.variable);
    });
  return {variables.begin(), variables.end()};
}

// Adds the tiles between the first and the last element of every block.
void addTiles(std::unordered_map<TileId, std::uint64_t> &tiles,
              const GraphData &graph, const View &view, std::uint64_t cycles) {
  for (const Block &block : view.blocks()) {
    std::ptrdiff_t first = block.offset, last = block.offset;
    for (const BlockDim &dim : block.dims)
      for (const Loop &loop : dim.loops)
        (loop.stride < 0 ? first : last) +=
            static_cast<std::ptrdiff_t>(loop.count - 1) * loop.stride;
    graph.variables[block.variable].mapping.forEach(
        static_cast<std::size_t>(first), static_cast<std::size_t>(last) + 1,
        [&](std::size_t, std::size_t, TileId tile) { tiles[tile] = cycles; });
  }
}

const std::vector<TensorPtr> &writtenBy(const ProgramNode &node) {
  return node.op ? node.op->outputs : node.tensors;
}

using TrafficByTile = std::unordered_map<TileId, Traffic>;

TrafficByTile withinIpus(const Exchange &exchange) {
  TrafficByTile result;
  for (const auto &[tile, traffic] : exchange.tiles()) {
    const Traffic within{traffic.all.in - traffic.betweenIpus.in,
                         traffic.all.out - traffic.betweenIpus.out};
    if (within.in + within.out > 0)
      result[tile] = within;
  }
  return result;
}

TrafficByTile betweenIpus(const Exchange &exchange) {
  TrafficByTile result;
  for (const auto &[tile, traffic] : exchange.tiles())
    if (traffic.betweenIpus.in + traffic.betweenIpus.out > 0)
      result[tile] = traffic.betweenIpus;
  return result;
}

} // namespace

ProgramProfiles::ProgramProfiles(
    const ExecutableData &executable, const Plan &plan,
    const std::vector<ComputeSetEstimate> &estimates,
    profile::Compilation &compilation)
    : executable_(executable), estimates_(estimates), compilation_(compilation),
      vertices_(executable, compilation), bySteps_(plan.steps.size()) {
  for (StepId id = 0; id < plan.steps.size(); ++id) {
    const Step &step = plan.steps[id];
    bySteps_[id] = lowerStep(step);
    if (step.program->kind == Kind::execute)
      executions_[step.computeSet] = id;
    else
      stepsOf_[step.program].push_back(id);
  }
  // Functions first, so that calls find them. Each calls only earlier ones.
  for (const ProgramNode *node : nodesOf(rootsOf(executable.graph, {})))
    byNodes_[node] = lower(*node);
  for (const ProgramNode *node : nodesOf(executable.programs))
    if (byNodes_.find(node) == byNodes_.end())
      byNodes_[node] = lower(*node);
}

std::uint32_t ProgramProfiles::add(profile::Program program) {
  std::set<std::uint32_t> ipus;
  for (const std::uint32_t child : program.children) {
    const auto &theirs = compilation_.programs[child].ipus;
    ipus.insert(theirs.begin(), theirs.end());
  }
  // Tiles ascend.
  const unsigned perIpu = executable_.graph.target.getTilesPerIPU();
  std::uint32_t end = 0; // of the last IPU's tiles
  for (const std::uint32_t tile : program.tileCycles.tiles)
    if (tile >= end) {
      ipus.insert(tile / perIpu);
      end = (tile / perIpu + 1) * perIpu;
    }
  program.ipus.assign(ipus.begin(), ipus.end());
  compilation_.programs.push_back(std::move(program));
  return static_cast<std::uint32_t>(compilation_.programs.size() - 1);
}

// Combines several programs into one.
std::uint32_t ProgramProfiles::wrap(const Ids &ids) {
  if (ids.size() == 1)
    return ids[0];
  profile::Program sequence;
  sequence.children = ids;
  return add(std::move(sequence));
}

ProgramProfiles::Ids ProgramProfiles::lower(const ProgramNode &node) {
  switch (node.kind) {
  case Kind::sequence:
    return lowerControl(ProgramType::sequence, node);
  case Kind::repeat:
    return lowerControl(ProgramType::repeat, node);
  case Kind::repeatWhileTrue:
  case Kind::repeatWhileFalse:
    return lowerControl(ProgramType::repeatWhile, node);
  case Kind::loop:
    return lowerControl(ProgramType::loop, node);
  case Kind::branch:
    return lowerControl(ProgramType::branch, node);
  case Kind::switchCase:
    return lowerControl(ProgramType::switchCase, node);
  case Kind::block:
    return lowerControl(ProgramType::block, node);
  case Kind::call:
    return lowerControl(ProgramType::call, node);
  case Kind::execute: {
    const auto step = executions_.find(node.id);
    if (step == executions_.end())
      return {};
    Ids ids = bySteps_[step->second];
    for (const ProgramPtr &native :
         executable_.graph.computeSets[node.id].natives) {
      const Ids parts = lower(*native);
      ids.insert(ids.end(), parts.begin(), parts.end());
    }
    return ids;
  }
  default:
    break;
  }
  Ids ids;
  for (const StepId step : stepsOf_[&node])
    ids.insert(ids.end(), bySteps_[step].begin(), bySteps_[step].end());
  return ids;
}

ProgramProfiles::Ids ProgramProfiles::lowerControl(ProgramType type,
                                                   const ProgramNode &node) {
  profile::Program program;
  program.type = type;
  program.name = node.name;
  if (type == ProgramType::call)
    program.children.push_back(
        wrap(byNodes_.at(executable_.graph.functions[node.id].body.get())));
  for (const ProgramPtr &child : node.children) {
    const Ids &ids = byNodes_.at(child.get());
    if (type == ProgramType::sequence)
      program.children.insert(program.children.end(), ids.begin(), ids.end());
    else
      program.children.push_back(wrap(ids));
  }
  return {add(std::move(program))};
}

ProgramProfiles::Ids ProgramProfiles::lowerStep(const Step &step) {
  switch (step.program->kind) {
  case Kind::execute:
    return lowerExecute(step);
  case Kind::copy:
    return lowerCopy(step);
  case Kind::streamToTensor:
  case Kind::tensorToStream:
  case Kind::remoteToTensor:
  case Kind::tensorToRemote:
  case Kind::callHost:
  case Kind::printTensor:
    return lowerHostTransfer(step);
  default:
    return lowerKernel(step);
  }
}

// Bytes by IPU; every tile is busy for `cycles(traffic)`.
template <class Cycles>
void ProgramProfiles::setTraffic(profile::Program &program,
                                 const TrafficByTile &tiles, Cycles &&cycles) {
  const poplar::Target &target = executable_.graph.target;
  program.bytesIn.resize(target.getNumIPUs());
  program.bytesOut.resize(target.getNumIPUs());
  std::unordered_map<TileId, std::uint64_t> tileCycles;
  for (const auto &[tile, traffic] : tiles) {
    program.bytesIn[tile / target.getTilesPerIPU()] += traffic.in;
    program.bytesOut[tile / target.getTilesPerIPU()] += traffic.out;
    tileCycles[tile] = cycles(traffic);
  }
  program.tileCycles = sortedByTile(tileCycles, target.getNumTiles());
}

// Exchange within IPUs first. `cycles` are divided in proportion to the bytes.
ProgramProfiles::Ids
ProgramProfiles::lowerExchange(const Step &step, const Exchange &exchange,
                               std::uint64_t cycles,
                               const std::vector<std::uint32_t> &variables) {
  Ids ids;
  const auto add = [&](ProgramType type, const TrafficByTile &tiles,
                       std::uint64_t share) {
    if (tiles.empty())
      return;
    profile::Program program;
    program.type = type;
    program.name = step.name;
    program.variables = variables;
    program.cycles = share;
    setTraffic(program, tiles, [&](const Traffic &traffic) {
      return std::min(share,
                      exchange.cyclesFor(std::max(traffic.in, traffic.out)));
    });
    ids.push_back(this->add(std::move(program)));
  };
  const std::uint64_t between =
      exchange.bytes() == 0
          ? 0
          : cycles * exchange.bytesBetweenIpus() / exchange.bytes();
  add(ProgramType::doExchange, withinIpus(exchange), cycles - between);
  add(ProgramType::globalExchange, betweenIpus(exchange), between);
  return ids;
}

ProgramProfiles::Ids ProgramProfiles::lowerExecute(const Step &step) {
  const GraphData &graph = executable_.graph;
  const ComputeSetInfo &info = graph.computeSets[step.computeSet];
  const Exchange &exchange = estimates_[step.computeSet].exchange();
  const std::vector<std::uint32_t> variables = variablesOf(graph, info);
  Ids ids = lowerExchange(step, exchange, exchange.cycles(), variables);
  profile::Program execution;
  execution.type = ProgramType::onTileExecute;
  execution.name = info.name;
  execution.computeSet = step.computeSet;
  execution.variables = variables;
  execution.cycles = step.cycles - exchange.cycles();
  execution.tileCycles = sortedByTile(estimates_[step.computeSet].tileCycles(),
                                      graph.target.getNumTiles());
  ids.push_back(add(std::move(execution)));
  return ids;
}

ProgramProfiles::Ids ProgramProfiles::lowerCopy(const Step &step) {
  const ProgramNode &node = *step.program;
  const View &src = node.tensors[0]->view, &dst = node.tensors[1]->view;
  Exchange exchange(executable_.graph);
  exchange.addCopy(dst, src, sizeOf(node.tensors[0]->type));
  if (exchange.bytes() == 0)
    return lowerKernel(step);
  return lowerExchange(step, exchange, step.cycles, variablesOf(node));
}

ProgramProfiles::Ids ProgramProfiles::lowerHostTransfer(const Step &step) {
  const ProgramNode &node = *step.program;
  Exchange exchange(executable_.graph);
  for (std::size_t i = 0; i < node.tensors.size(); ++i) {
    const View &view = node.tensors[i]->view;
    const std::size_t size = sizeOf(node.tensors[i]->type);
    const bool isOffset = i > 0 && node.kind != Kind::callHost;
    const bool fromHost = node.kind == Kind::streamToTensor ||
                          node.kind == Kind::remoteToTensor ||
                          (node.kind == Kind::callHost && i >= node.count);
    if (fromHost && !isOffset)
      exchange.addFromHost(view, size);
    else
      exchange.addToHost(view, size);
  }
  profile::Program transfer;
  transfer.type = ProgramType::streamCopyMid;
  transfer.name = step.name;
  transfer.variables = variablesOf(node);
  transfer.cycles = step.cycles;
  setTraffic(transfer, withinIpus(exchange),
             [&](const Traffic &) { return step.cycles; });

  profile::Program phase = transfer;
  phase.cycles = 0;
  phase.bytesIn.clear();
  phase.bytesOut.clear();
  std::fill(phase.tileCycles.cycles.begin(), phase.tileCycles.cycles.end(), 0);
  phase.type = ProgramType::streamCopyBegin;
  const std::uint32_t begin = add(phase);
  const std::uint32_t mid = add(std::move(transfer));
  phase.type = ProgramType::streamCopyEnd;
  return {begin, mid, add(std::move(phase))};
}

// Operations without a compute set in the graph. All tiles with a part of the
// result are assumed to be busy all the time.
ProgramProfiles::Ids ProgramProfiles::lowerKernel(const Step &step) {
  const ProgramNode &node = *step.program;
  profile::Program program;
  program.type = node.kind == Kind::crossReplicaCopy
                     ? ProgramType::globalExchange
                     : ProgramType::onTileExecute;
  program.name = step.name.empty() ? step.kind : step.name;
  program.variables = variablesOf(node);
  program.cycles = step.cycles;
  std::unordered_map<TileId, std::uint64_t> tiles;
  for (const TensorPtr &tensor : writtenBy(node))
    addTiles(tiles, executable_.graph, tensor->view, step.cycles);
  program.tileCycles =
      sortedByTile(tiles, executable_.graph.target.getNumTiles());
  if (node.kind == Kind::native)
    program.computeSet = vertices_.add(node, program.tileCycles);
  const std::uint32_t id = add(std::move(program));
  spread(compilation_.programs[id],
         node.kind == Kind::crossReplicaCopy
             ? step.bytes / executable_.graph.replicationFactor
             : step.bytes);
  return {id};
}

// Evenly over the IPUs that take part, in and out.
void ProgramProfiles::spread(profile::Program &program, std::uint64_t bytes) {
  if (bytes == 0 || program.ipus.empty())
    return;
  program.bytesIn.resize(executable_.graph.target.getNumIPUs());
  for (const std::uint32_t ipu : program.ipus)
    program.bytesIn[ipu] = bytes / program.ipus.size();
  program.bytesOut = program.bytesIn;
}

} // namespace ipumodel
