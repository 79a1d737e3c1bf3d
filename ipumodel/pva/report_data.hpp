// The content of a profile report as plain data: the engine fills it in, files
// store it, pva::Report gives access to it. Objects refer to each other by
// index.
//
// All cycles are estimates of the tile model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ipumodel {
namespace profile {

constexpr std::uint32_t kNone = ~std::uint32_t(0);

struct Target {
  std::string type;         // "IPU", "IPU_MODEL"
  std::string architecture; // "ipu1", "ipu2", "ipu21"
  std::uint64_t numReplicas = 1;
  std::uint64_t numIpus = 0; // per replica
  std::uint64_t tilesPerIpu = 0;
  std::uint64_t bytesPerTile = 0;
  double clockFrequency = 0; // in Hz

  std::uint64_t numTiles() const { return numIpus * tilesPerIpu; }
};

struct Variable {
  std::string name;
  std::string type;
  std::uint64_t bytes = 0;
  std::uint64_t numTiles = 0;     // with a part of it
  std::uint64_t maxTileBytes = 0; // on the tile with the largest part
  bool constant = false;
};

// In bytes, by tile.
struct Memory {
  std::vector<std::uint64_t> variables;
  std::vector<std::uint64_t> constants;
  std::vector<std::uint64_t> vertexState;

  std::uint64_t total(std::size_t tile) const {
    return variables[tile] + constants[tile] + vertexState[tile];
  }
};

// Cycles of the tiles that are busy, ascending by tile.
struct TileCycles {
  std::vector<std::uint32_t> tiles;
  std::vector<std::uint64_t> cycles;
};

struct ComputeSet {
  std::string name;
  TileCycles tileCycles;
  // One element per vertex in each.
  std::vector<std::uint32_t> vertexTypes;
  std::vector<std::uint32_t> vertexTiles;
  std::vector<std::uint64_t> vertexCycles;
};

// The values are stored in files: add only at the end.
enum class ProgramType : std::uint32_t {
  sequence,
  repeat,
  repeatWhile,
  loop,
  branch,
  switchCase,
  call,
  block,
  onTileExecute,
  doExchange,
  globalExchange,
  streamCopyBegin,
  streamCopyMid,
  streamCopyEnd,
};
constexpr std::uint32_t kNumProgramTypes = 14;

struct Program {
  ProgramType type = ProgramType::sequence;
  std::string name;
  std::vector<std::uint32_t> children; // smaller than its own index
  std::vector<std::uint32_t> ipus;     // that take part, also in children
  // For programs without children.
  std::uint32_t computeSet = kNone;
  std::vector<std::uint32_t> variables; // that it reads or writes
  std::uint64_t cycles = 0;             // per execution
  // By IPU, per execution and replica: bytes that its tiles receive from other
  // tiles or the host, and bytes they send. Empty if there are none.
  std::vector<std::uint64_t> bytesIn;
  std::vector<std::uint64_t> bytesOut;
  TileCycles tileCycles;
};

// The place in the source of the program that made an object.
struct DebugContext {
  std::string kind; // "variable", "computeSet", "program"
  std::string name;
  std::string file;
  std::string function;
  std::uint64_t line = 0;
};

struct Compilation {
  Target target;
  std::uint64_t numEdges = 0;
  std::vector<Variable> variables;
  Memory memory;
  std::vector<std::string> vertexTypes;
  std::vector<ComputeSet> computeSets;
  std::vector<Program> programs;
};

// One Engine::run().
struct Run {
  std::string name;
  std::uint64_t program = 0; // the engine's number for it
  std::uint64_t cyclesFrom = 0;
  std::uint64_t cyclesTo = 0;
  std::vector<std::uint32_t> steps; // programs without children, in order
  bool complete =
      true; // false if there were more steps than the trace can hold
};

// The values are stored in files: add only at the end.
enum class BlockKind : std::uint32_t { common, streamCopy, overflow, flush };
constexpr std::uint32_t kNumBlockKinds = 4;

struct Block {
  BlockKind kind = BlockKind::common;
  std::uint32_t program = kNone; // none for an overflow
  std::uint64_t cyclesFrom = 0;
  std::uint64_t cyclesTo = 0;
};

struct Execution {
  bool hasSteps = false;  // runs were recorded
  bool hasBlocks = false; // blocks were recorded
  std::uint64_t numRuns = 0;
  std::vector<std::uint64_t>
      executions; // by program; 0 for those with children
  std::vector<Run> runs;
  std::vector<Block> blocks; // in the order in which they began
  std::uint64_t blocksTile =
      0; // of each IPU, the tile whose blocks are recorded
};

struct Report {
  std::string poplarVersion;
  Compilation compilation;
  bool hasExecution = false;
  Execution execution;
  std::vector<DebugContext> debugContexts;
};

} // namespace profile
} // namespace ipumodel
