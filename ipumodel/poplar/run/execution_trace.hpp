// The optional record of an engine's runs, besides its counters: which steps
// were executed in which order, and when selected blocks ran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ipumodel {

using StepId = std::uint32_t;

struct TracedRun {
  std::string name;
  unsigned program;
  std::uint64_t cyclesFrom;
  std::uint64_t cyclesTo;
  std::vector<StepId> steps;
  bool complete =
      true; // false if there were more steps than the trace can hold
};

// Records the first runs of every program, step by step.
class StepTrace {
public:
  explicit StepTrace(std::uint64_t runsPerProgram)
      : runsPerProgram_(runsPerProgram) {}

  // Returns false if the program's runs are all recorded; then nothing may be
  // added.
  bool beginRun(unsigned program, const std::string &name,
                std::uint64_t cycles);
  void add(StepId step) {
    if (numSteps_ < kMaxSteps) {
      ++numSteps_;
      runs_.back().steps.push_back(step);
    } else {
      runs_.back().complete = false;
    }
  }
  void endRun(std::uint64_t cycles) { runs_.back().cyclesTo = cycles; }

  const std::vector<TracedRun> &runs() const { return runs_; }
  void clear();

private:
  static constexpr std::size_t kMaxSteps = std::size_t(1) << 24;

  const std::uint64_t runsPerProgram_;
  std::size_t numSteps_ = 0; // of all runs
  std::vector<TracedRun> runs_;
  std::unordered_map<unsigned, std::uint64_t> numRuns_; // by program
};

struct TracedBlock {
  std::uint32_t block; // of Plan::blocks
  std::uint64_t cyclesFrom;
  std::uint64_t cyclesTo;
};

// Blocks of all runs, in the order they began.
class BlockTrace {
public:
  // Returns the argument for end().
  std::size_t begin(std::uint32_t block, std::uint64_t cycles);
  void end(std::size_t position, std::uint64_t cycles);

  const std::vector<TracedBlock> &blocks() const { return blocks_; }
  // From the first dropped block to the end of the last one.
  struct Overflow {
    std::uint64_t cyclesFrom;
    std::uint64_t cyclesTo;
  };
  const std::optional<Overflow> &overflow() const { return overflow_; }
  void clear() { *this = BlockTrace(); }

private:
  static constexpr std::size_t kMaxBlocks = std::size_t(1) << 20;

  std::vector<TracedBlock> blocks_;
  std::optional<Overflow> overflow_;
};

} // namespace ipumodel
