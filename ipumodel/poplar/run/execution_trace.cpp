#include "poplar/run/execution_trace.hpp"

namespace ipumodel {

bool StepTrace::beginRun(unsigned program, const std::string &name,
                         std::uint64_t cycles) {
  if (numRuns_[program] == runsPerProgram_)
    return false;
  ++numRuns_[program];
  runs_.push_back({name, program, cycles, cycles, {}});
  return true;
}

void StepTrace::clear() {
  numSteps_ = 0;
  runs_.clear();
  numRuns_.clear();
}

std::size_t BlockTrace::begin(std::uint32_t block, std::uint64_t cycles) {
  const std::size_t position = blocks_.size();
  if (position < kMaxBlocks)
    blocks_.push_back({block, cycles, cycles});
  else if (!overflow_)
    overflow_ = Overflow{cycles, cycles};
  return position;
}

void BlockTrace::end(std::size_t position, std::uint64_t cycles) {
  if (position < blocks_.size())
    blocks_[position].cyclesTo = cycles;
  else if (overflow_)
    overflow_->cyclesTo = cycles;
}

} // namespace ipumodel
