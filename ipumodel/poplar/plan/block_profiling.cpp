#include "poplar/plan/block_profiling.hpp"

namespace ipumodel {

namespace {

using Kind = ProgramNode::Kind;

std::optional<std::regex> compile(const std::optional<std::string> &pattern) {
  if (!pattern)
    return std::nullopt;
  return std::regex(*pattern);
}

bool isHostTransfer(Kind kind) {
  return kind == Kind::streamToTensor || kind == Kind::tensorToStream ||
         kind == Kind::remoteToTensor || kind == Kind::tensorToRemote;
}

} // namespace

const std::string &profileName(const GraphData &graph,
                               const ProgramNode &program) {
  switch (program.kind) {
  case Kind::execute:
    return graph.computeSets[program.id].name;
  case Kind::streamToTensor:
  case Kind::tensorToStream:
    return graph.streams[program.id]->handle;
  case Kind::remoteToTensor:
  case Kind::tensorToRemote:
    return graph.remoteBuffers[program.id]->handle;
  case Kind::callHost:
    return graph.hostFunctions[program.id].handle;
  default:
    return program.name;
  }
}

BlockSelector::BlockSelector(const EngineSettings &settings)
    : blocks_(compile(settings.blocksFilter)),
      programs_(compile(settings.programsFilter)),
      hostTransfers_(settings.instrumentExternalExchange) {}

bool BlockSelector::selects(const GraphData &graph,
                            const ProgramNode &program) const {
  if (!isActive())
    return false;
  if (hostTransfers_ && isHostTransfer(program.kind))
    return true;
  if (blocks_ && program.kind == Kind::block &&
      std::regex_match(program.name, *blocks_))
    return true;
  return programs_ && std::regex_match(profileName(graph, program), *programs_);
}

void BlockInstruction::run(ExecutionState &state) const {
  if (!state.profiling) {
    body_->run(state);
    return;
  }
  const std::size_t position = state.blocks.begin(block_, state.cycles);
  body_->run(state);
  state.blocks.end(position, state.cycles);
}

} // namespace ipumodel
