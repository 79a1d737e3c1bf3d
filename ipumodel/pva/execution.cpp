#include "pva/program.hpp"
#include "pva/report_data.hpp"

#include <pva/pva.hpp>

#include <stdexcept>

namespace ipumodel {

std::vector<std::uint64_t> cyclesByTile(const profile::Report &report,
                                        const profile::TileCycles &busy) {
  std::vector<std::uint64_t> cycles(report.compilation.target.numTiles());
  for (std::size_t i = 0; i < busy.tiles.size(); ++i)
    cycles[busy.tiles[i]] = busy.cycles[i];
  return cycles;
}

} // namespace ipumodel

namespace pva {

namespace data = ipumodel::profile;

namespace {

void addSteps(const ReportData &report, const data::Run &run,
              std::vector<ExecutionStep> &steps) {
  std::uint64_t cycle = run.cyclesFrom;
  for (const std::uint32_t program : run.steps) {
    steps.emplace_back(report, program, cycle);
    cycle += report->compilation.programs[program].cycles;
  }
}

std::uint64_t elementOr0(const std::vector<std::uint64_t> &values,
                         std::size_t index) {
  return index < values.size() ? values[index] : 0;
}

// True if a tile sees the block.
bool isSeen(const data::Report &report, const data::Block &block,
            unsigned tile) {
  const data::Target &target = report.compilation.target;
  const bool isProfiledTile =
      tile % target.tilesPerIpu == report.execution.blocksTile;
  if (block.program == data::kNone)
    return isProfiledTile;
  const data::Program &program = report.compilation.programs[block.program];
  if (block.kind != data::BlockKind::common)
    return std::binary_search(program.tileCycles.tiles.begin(),
                              program.tileCycles.tiles.end(), tile);
  return isProfiledTile &&
         std::find(program.ipus.begin(), program.ipus.end(),
                   tile / target.tilesPerIpu) != program.ipus.end();
}

void requireSteps(const data::Report &report) {
  if (!report.execution.hasSteps)
    throw std::runtime_error(
        "the report has no execution steps: set the engine option "
        "debug.instrument or autoReport.outputExecutionProfile");
}

} // namespace

std::shared_ptr<Program> ExecutionStep::program() const {
  return ipumodel::makeProgram(report_, index_);
}

std::string ExecutionStep::name() const {
  return report_->compilation.programs[index_].name;
}

std::vector<ComputeSet> ExecutionStep::computeSets() const {
  const data::Program &program = report_->compilation.programs[index_];
  if (program.computeSet == data::kNone)
    return {};
  return {ComputeSet(report_, program.computeSet)};
}

std::vector<ExecutionStepIpu> ExecutionStep::ipus() const {
  const data::Program &program = report_->compilation.programs[index_];
  const ActiveCycles cycles(from_, from_ + program.cycles);
  std::vector<ExecutionStepIpu> ipus;
  for (std::size_t i = 0; i < report_->compilation.target.numIpus; ++i)
    ipus.emplace_back(cycles, elementOr0(program.bytesIn, i),
                      elementOr0(program.bytesOut, i));
  return ipus;
}

std::vector<std::uint64_t> ExecutionStep::cyclesByTile() const {
  return ipumodel::cyclesByTile(
      *report_, report_->compilation.programs[index_].tileCycles);
}

std::string Run::name() const { return report_->execution.runs[index_].name; }

unsigned Run::programId() const {
  return static_cast<unsigned>(report_->execution.runs[index_].program);
}

std::vector<std::uint64_t> Run::cyclesByIpu() const {
  const data::Run &run = report_->execution.runs[index_];
  return std::vector<std::uint64_t>(report_->compilation.target.numIpus,
                                    run.cyclesTo - run.cyclesFrom);
}

std::vector<ExecutionStep> Run::steps() const {
  std::vector<ExecutionStep> steps;
  addSteps(report_, report_->execution.runs[index_], steps);
  return steps;
}

bool Run::isComplete() const {
  return report_->execution.runs[index_].complete;
}

std::shared_ptr<Program> Block::program() const {
  const std::uint32_t program = report_->execution.blocks[index_].program;
  return program == data::kNone ? nullptr
                                : ipumodel::makeProgram(report_, program);
}

std::uint64_t Block::cyclesFrom() const {
  return report_->execution.blocks[index_].cyclesFrom;
}

std::uint64_t Block::cyclesTo() const {
  return report_->execution.blocks[index_].cyclesTo;
}

bool Block::isCommon() const {
  return report_->execution.blocks[index_].kind == data::BlockKind::common;
}

bool Block::isStreamCopy() const {
  return report_->execution.blocks[index_].kind == data::BlockKind::streamCopy;
}

bool Block::isOverflow() const {
  return report_->execution.blocks[index_].kind == data::BlockKind::overflow;
}

bool Block::isBlockFlush() const {
  return report_->execution.blocks[index_].kind == data::BlockKind::flush;
}

std::vector<Run> Execution::runs() const {
  requireSteps(*report_);
  std::vector<Run> runs;
  for (std::size_t i = 0; i < report_->execution.runs.size(); ++i)
    runs.emplace_back(report_, i);
  return runs;
}

std::vector<ExecutionStep> Execution::steps() const {
  requireSteps(*report_);
  std::vector<ExecutionStep> steps;
  for (const data::Run &run : report_->execution.runs)
    addSteps(report_, run, steps);
  return steps;
}

std::uint64_t Execution::totalCycles() const {
  requireSteps(*report_);
  std::uint64_t cycles = 0;
  for (const data::Run &run : report_->execution.runs)
    cycles += run.cyclesTo - run.cyclesFrom;
  return cycles;
}

std::vector<Block> Execution::blocks(unsigned tile) const {
  const data::Execution &execution = report_->execution;
  if (!execution.hasBlocks)
    throw std::runtime_error(
        "the report has no blocks: set the engine option "
        "profiler.blocks.filter or profiler.programs.filter");
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < execution.blocks.size(); ++i)
    if (isSeen(*report_, execution.blocks[i], tile))
      blocks.emplace_back(report_, i, tile);
  return blocks;
}

} // namespace pva
