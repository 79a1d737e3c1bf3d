// What an engine records of its runs when it is asked to, besides its counters:
// which steps were executed in which order, and when selected blocks ran.
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
  bool complete = true; // otherwise there were more steps than are kept
};

// The first runs of every program, step by step.
class StepTrace {
public:
  explicit StepTrace(std::uint64_t runsPerProgram)
      : runsPerProgram_(runsPerProgram) {}

  // False if the program ran often enough; then nothing may be added.
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
  // What end() has to be given.
  std::size_t begin(std::uint32_t block, std::uint64_t cycles);
  void end(std::size_t position, std::uint64_t cycles);

  const std::vector<TracedBlock> &blocks() const { return blocks_; }
  // From the first block that was not kept to the end of the last one.
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
