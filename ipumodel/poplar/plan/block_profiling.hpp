// Profiling of selected programs: the selection, and recording when they run.
#pragma once

#include "poplar/options/engine_options.hpp"
#include "poplar/program/program_node.hpp"
#include "poplar/run/instruction.hpp"

#include <optional>
#include <regex>
#include <string>

namespace ipumodel {

// The name of a program in profiles.
const std::string &profileName(const GraphData &graph,
                               const ProgramNode &program);

class BlockSelector {
public:
  explicit BlockSelector(const EngineSettings &settings);

  // True if any program could be selected.
  bool isActive() const { return blocks_ || programs_; }
  // Selects blocks and other programs by their names, and all transfers to and
  // from the host if these are instrumented.
  bool selects(const GraphData &graph, const ProgramNode &program) const;

private:
  std::optional<std::regex> blocks_;
  std::optional<std::regex> programs_;
  bool hostTransfers_;
};

class BlockInstruction : public Instruction {
public:
  // `block` is its index in Plan::blocks.
  BlockInstruction(std::uint32_t block, InstructionPtr body)
      : block_(block), body_(std::move(body)) {}
  void run(ExecutionState &state) const override;

private:
  std::uint32_t block_;
  InstructionPtr body_;
};

} // namespace ipumodel
