#include "host/graph_page/cost_estimates.hpp"

#include "graph/training_graph.hpp"

#include <pva/pva.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace popscope::host {

namespace {

std::uint64_t mostOf(const std::vector<std::uint64_t> &cyclesByTile) {
  return cyclesByTile.empty()
             ? 0
             : *std::max_element(cyclesByTile.begin(), cyclesByTile.end());
}

// Adds up what the programs below one of them cost, each program once: a
// pipeline has several loops with the same passes.
class CostVisitor : public pva::ProgramVisitor {
public:
  explicit CostVisitor(CostEstimates &estimates) : estimates_(estimates) {}

  void walk(const pva::Program &program) {
    if (!seen_.insert(program._id()).second)
      return;
    program.accept(*this);
    for (const auto &child : program.children())
      walk(*child);
  }

  void visitOnTileExecute(const pva::OnTileExecuteProgram &program) override {
    add(program.name(), mostOf(program.computeset().estimatedCyclesByTile()),
        program.vars());
  }
  void visitDoExchange(const pva::DoExchangeProgram &program) override {
    add(program.name(), mostOf(program.estimatedCyclesByTile()),
        program.vars());
  }

private:
  void add(const std::string &name, std::uint64_t cycles,
           const std::vector<pva::Variable> &variables) {
    estimates_.cycles[name] += cycles;
    // Several programs use a variable, and some variables share a name.
    std::map<std::string, std::uint64_t> here;
    for (const pva::Variable &variable : variables)
      here[variable.name()] += variable.bytes();
    for (const auto &[variable, bytes] : here)
      estimates_.bytes[variable] = std::max(estimates_.bytes[variable], bytes);
  }

  CostEstimates &estimates_;
  std::set<std::size_t> seen_;
};

} // namespace

std::optional<CostEstimates> estimateCosts(poplar::Engine &engine,
                                           const poplar::Target &target) {
  CostEstimates estimates;
  try {
    const pva::Report report = engine.getReport(/*reportExecution=*/false);
    CostVisitor visitor(estimates);
    for (const auto &program : report.compilation().programs())
      if (program->name() == graph::kTrainProgram)
        visitor.walk(*program);
  } catch (const std::exception &) {
    return std::nullopt; // the page does without
  }
  if (estimates.cycles.empty())
    return std::nullopt;
  estimates.cyclesPerSecond = target.getTileClockFrequency();
  return estimates;
}

} // namespace popscope::host
