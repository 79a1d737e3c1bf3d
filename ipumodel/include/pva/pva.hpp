// Profile reports: the tile memory and cycles a compiled graph needs, and a
// record of its execution. Long, because the public API is this one header.
//
// A report comes from Engine::getReport(), or from openReport() for a file that
// an engine wrote. It is immutable and independent of the engine; all objects
// obtained from it share its data and remain valid without it.
//
// Cycles and bytes of tile memory are estimates of the tile model, never
// measurements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace ipumodel {
namespace profile {
struct Report;
} // namespace profile
} // namespace ipumodel

namespace pva {

class ComputeSet;
class Program;
class ProgramVisitor;
class Tile;

using ReportData = std::shared_ptr<const ipumodel::profile::Report>;

// One object of a report.
class Entry {
protected:
  Entry(ReportData report, std::size_t index)
      : report_(std::move(report)), index_(index) {}

  ReportData report_;
  std::size_t index_;
};

class PoplarVersion {
public:
  explicit PoplarVersion(std::string text) : text_(std::move(text)) {}
  std::string string() const { return text_; }

private:
  std::string text_;
};

class IPU : Entry {
public:
  enum class Architecture { Ipu1, Ipu2, Ipu21 };

  IPU(ReportData report, std::size_t index) : Entry(std::move(report), index) {}
  std::vector<Tile> tiles() const;
};

// Numbers of IPUs and tiles are per replica.
class Target : Entry {
public:
  enum class Type { Ipu, IpuModel };

  explicit Target(ReportData report) : Entry(std::move(report), 0) {}
  Type type() const;
  IPU::Architecture architecture() const;
  unsigned numReplicas() const;
  unsigned numIPUs() const;
  unsigned tilesPerIpu() const;
  unsigned numTiles() const;
  std::uint64_t bytesPerTile() const;
  std::uint64_t bytesPerIPU() const;
  std::uint64_t totalMemory() const;
  double clockFrequency() const; // in Hz
};

class Graph : Entry {
public:
  explicit Graph(ReportData report) : Entry(std::move(report), 0) {}
  std::size_t numComputeSets() const;
  std::size_t numEdges() const;
  std::size_t numVars() const; // constants included
  std::size_t numVertices() const;
};

class Variable : Entry {
public:
  Variable(ReportData report, std::size_t index)
      : Entry(std::move(report), index) {}
  std::string name() const;
  std::uint64_t bytes() const; // total over all tiles
  std::uint64_t size() const { return bytes(); }
  bool isConstant() const;
  // Variables never share memory, so this is always true.
  bool alwaysLive() const { return true; }
  // Identifies the variable within the report.
  std::size_t _id() const { return index_; }
};

class VertexType : Entry {
public:
  VertexType(ReportData report, std::size_t index)
      : Entry(std::move(report), index) {}
  std::string name() const;
};

class VertexInstance : Entry {
public:
  VertexInstance(ReportData report, std::size_t computeSet, std::size_t index)
      : Entry(std::move(report), index), computeSet_(computeSet) {}
  VertexType type() const;
  ComputeSet computeSet() const;
  unsigned tile() const;
  std::uint64_t estimatedCycles() const;

private:
  std::size_t computeSet_;
};

class ComputeSet : Entry {
public:
  // Without an index, as for a copy on a tile, the name and the estimates are
  // those of `program`.
  ComputeSet(ReportData report, std::size_t index, std::size_t program = 0)
      : Entry(std::move(report), index), program_(program) {}
  std::string name() const;
  std::vector<VertexInstance> vertices() const;
  // One element per tile.
  std::vector<std::uint64_t> estimatedCyclesByTile() const;
  std::vector<std::uint64_t> cyclesByTile() const {
    return estimatedCyclesByTile();
  }

private:
  std::size_t program_;
};

class MemoryTotal {
public:
  explicit MemoryTotal(std::uint64_t bytes) : bytes_(bytes) {}
  std::uint64_t excludingGaps() const { return bytes_; }
  // The model packs memory, so there are no gaps.
  std::uint64_t includingGaps() const { return bytes_; }

private:
  std::uint64_t bytes_;
};

// Bytes in one kind of a tile's memory. The model does not reuse memory.
class MemoryRegion {
public:
  explicit MemoryRegion(std::uint64_t bytes) : bytes_(bytes) {}
  std::uint64_t nonOverlapped() const { return bytes_; }
  std::uint64_t overlapped() const { return 0; }

private:
  std::uint64_t bytes_;
};

// The model has one kind of memory, which is not interleaved and has no end.
class MemoryCategory {
public:
  explicit MemoryCategory(std::uint64_t bytes) : bytes_(bytes) {}
  std::uint64_t total() const { return bytes_; }
  MemoryRegion nonInterleaved() const { return MemoryRegion(bytes_); }
  MemoryRegion interleaved() const { return MemoryRegion(0); }
  MemoryRegion overflowed() const { return MemoryRegion(0); }

private:
  std::uint64_t bytes_;
};

// Code, exchange and stacks are not modelled.
class MemoryCategories : Entry {
public:
  MemoryCategories(ReportData report, std::size_t tile)
      : Entry(std::move(report), tile) {}
  MemoryCategory variable() const;
  MemoryCategory constant() const;
  MemoryCategory vertexInstanceState() const;
  // The model counts these as vertexInstanceState.
  MemoryCategory vertexFieldData() const { return MemoryCategory(0); }
  MemoryCategory vectorListDescriptor() const { return MemoryCategory(0); }
  // These throw std::runtime_error: the model has no code.
  MemoryCategory vertexCode() const;
  MemoryCategory controlCode() const;
  MemoryCategory internalExchangeCode() const;
  MemoryCategory hostExchangeCode() const;
  MemoryCategory globalExchangeCode() const;
  MemoryCategory copyDescriptor() const;
};

class TileMemory : Entry {
public:
  TileMemory(ReportData report, std::size_t tile)
      : Entry(std::move(report), tile) {}
  MemoryTotal total() const;
  MemoryCategories category() const;
  std::uint64_t alwaysLiveBytes() const;
  std::vector<VertexInstance> vertices() const;
};

class Tile : Entry {
public:
  Tile(ReportData report, std::size_t tile) : Entry(std::move(report), tile) {}
  unsigned id() const { return static_cast<unsigned>(index_); }
  TileMemory memory() const { return TileMemory(report_, index_); }
};

// Memory that variables need at some time only.
class LivenessMemory {
public:
  explicit LivenessMemory(std::vector<Variable> variables)
      : variables_(std::move(variables)) {}
  std::uint64_t bytes() const;
  std::vector<Variable> variables() const { return variables_; }

private:
  std::vector<Variable> variables_;
};

// A program without children, and what is live while it runs beside the
// variables that always are. The model never shares memory between variables:
// all of them always are.
class LivenessProgramStep : Entry {
public:
  LivenessProgramStep(ReportData report, std::size_t program)
      : Entry(std::move(report), program) {}
  std::shared_ptr<Program> program() const;
  LivenessMemory notAlwaysLiveMemory() const;
  LivenessMemory notAlwaysLiveMemoryForTile(unsigned tile) const;
};

// A node of the compiled programs. It may be a child of several programs.
class Program : protected Entry {
public:
  enum class Type {
    Sequence,
    Repeat,
    RepeatWhile,
    Loop,
    If,
    Switch,
    Call,
    Block,
    OnTileExecute,
    DoExchange,
    GlobalExchange,
    StreamCopyBegin,
    StreamCopyMid,
    StreamCopyEnd,
  };

  Program(ReportData report, std::size_t index)
      : Entry(std::move(report), index) {}
  virtual ~Program() = default;
  Type type() const;
  std::string name() const;
  std::vector<std::shared_ptr<Program>> children() const;
  // Identifies the program within the report.
  std::size_t _id() const { return index_; }
  // Calls the function of the visitor for this type of program. Children are
  // not visited.
  virtual void accept(ProgramVisitor &visitor) const;
};

// A program without children.
class StepProgram : public Program {
public:
  using Program::Program;
  std::vector<Variable> vars() const; // that it reads or writes
  // One element per tile.
  std::vector<std::uint64_t> estimatedCyclesByTile() const;
};

// Execution of vertices, or of an operation that represents vertices.
class OnTileExecuteProgram : public StepProgram {
public:
  using StepProgram::StepProgram;
  ComputeSet computeset() const;
  void accept(ProgramVisitor &visitor) const override;
};

// Data exchange between the tiles of an IPU; GlobalExchange: between IPUs.
class DoExchangeProgram : public StepProgram {
public:
  using StepProgram::StepProgram;
  void accept(ProgramVisitor &visitor) const override;
};
class GlobalExchangeProgram : public StepProgram {
public:
  using StepProgram::StepProgram;
  void accept(ProgramVisitor &visitor) const override;
};

// A transfer between host and tiles: its announcement (Begin), the transfer
// (Mid) and its acknowledgement (End). The model assigns all cycles to Mid.
class StreamCopyBeginProgram : public StepProgram {
public:
  using StepProgram::StepProgram;
  void accept(ProgramVisitor &visitor) const override;
};
class StreamCopyMidProgram : public StepProgram {
public:
  using StepProgram::StepProgram;
  void accept(ProgramVisitor &visitor) const override;
};
class StreamCopyEndProgram : public StepProgram {
public:
  using StepProgram::StepProgram;
  void accept(ProgramVisitor &visitor) const override;
};

// Override the functions of interest; the others do nothing.
class ProgramVisitor {
public:
  virtual ~ProgramVisitor() = default;
  // Programs with children.
  virtual void visitControlFlow(const Program &) {}
  virtual void visitOnTileExecute(const OnTileExecuteProgram &) {}
  virtual void visitDoExchange(const DoExchangeProgram &) {}
  virtual void visitGlobalExchange(const GlobalExchangeProgram &) {}
  virtual void visitStreamCopyBegin(const StreamCopyBeginProgram &) {}
  virtual void visitStreamCopyMid(const StreamCopyMidProgram &) {}
  virtual void visitStreamCopyEnd(const StreamCopyEndProgram &) {}
};

class Compilation : Entry {
public:
  explicit Compilation(ReportData report) : Entry(std::move(report), 0) {}
  Target target() const { return Target(report_); }
  Graph graph() const { return Graph(report_); }
  std::vector<IPU> ipus() const;
  std::vector<Tile> tiles() const; // of all IPUs
  std::vector<ComputeSet> computeSets() const;
  std::vector<Variable> alwaysLiveVariables() const;
  // Of the programs without children, in their order.
  std::vector<LivenessProgramStep> livenessProgramSteps() const;
  // Every program once, children before their parents.
  std::vector<std::shared_ptr<Program>> programs() const;
};

// When the tiles of an IPU began or ended something. Tiles run in lockstep, so
// this is the same for all of them.
class CycleRange {
public:
  explicit CycleRange(std::uint64_t cycle) : cycle_(cycle) {}
  std::uint64_t min() const { return cycle_; }
  std::uint64_t max() const { return cycle_; }

private:
  std::uint64_t cycle_;
};

class ActiveCycles {
public:
  ActiveCycles(std::uint64_t from, std::uint64_t to) : from_(from), to_(to) {}
  CycleRange cyclesFrom() const { return CycleRange(from_); }
  CycleRange cyclesTo() const { return CycleRange(to_); }

private:
  std::uint64_t from_;
  std::uint64_t to_;
};

// An IPU during one step.
class ExecutionStepIpu {
public:
  ExecutionStepIpu(ActiveCycles cycles, std::uint64_t dataIn,
                   std::uint64_t dataOut)
      : cycles_(cycles), dataIn_(dataIn), dataOut_(dataOut) {}
  std::uint64_t cycles() const {
    return cycles_.cyclesTo().max() - cycles_.cyclesFrom().min();
  }
  ActiveCycles activeCycles() const { return cycles_; }
  // Bytes that its tiles receive from other tiles or the host, and send to
  // them.
  std::uint64_t dataIn() const { return dataIn_; }
  std::uint64_t dataOut() const { return dataOut_; }

private:
  ActiveCycles cycles_;
  std::uint64_t dataIn_;
  std::uint64_t dataOut_;
};

// One execution of a program without children.
class ExecutionStep : Entry {
public:
  ExecutionStep(ReportData report, std::size_t program, std::uint64_t from)
      : Entry(std::move(report), program), from_(from) {}
  std::shared_ptr<Program> program() const;
  std::string name() const;                    // of the program
  std::vector<ComputeSet> computeSets() const; // one, or none
  std::vector<ExecutionStepIpu> ipus() const;
  std::vector<std::uint64_t> cyclesByTile() const;

private:
  std::uint64_t from_;
};

// One call of Engine::run().
class Run : Entry {
public:
  Run(ReportData report, std::size_t index) : Entry(std::move(report), index) {}
  std::string name() const; // as given to run()
  unsigned programId() const;
  std::vector<std::uint64_t> cyclesByIpu() const;
  std::vector<ExecutionStep> steps() const;
  // False if there were more steps than the trace can hold.
  bool isComplete() const;
};

// One execution of a program selected by profiler.blocks.filter or
// profiler.programs.filter, as seen by one tile of a participating IPU; or a
// phase of a stream copy, as seen by a tile whose data it moves.
class Block : Entry {
public:
  Block(ReportData report, std::size_t index, unsigned tile)
      : Entry(std::move(report), index), tile_(tile) {}
  // Null for an overflow.
  std::shared_ptr<Program> program() const;
  std::uint64_t cyclesFrom() const;
  std::uint64_t cyclesTo() const;
  unsigned tile() const { return tile_; }
  bool isCommon() const;
  bool isStreamCopy() const;
  // True for a period in which blocks were dropped because there were too many.
  bool isOverflow() const;
  // A transfer of blocks to the host. Never true here: this engine keeps blocks
  // on the host.
  bool isBlockFlush() const;

private:
  unsigned tile_;
};

// Each of these throws std::runtime_error, naming the option to set, if the
// engine did not record the data.
class Execution : Entry {
public:
  explicit Execution(ReportData report) : Entry(std::move(report), 0) {}
  std::vector<Run> runs() const;
  std::vector<ExecutionStep> steps() const; // of all runs
  std::uint64_t totalCycles() const;        // of all runs, on one IPU
  // In the order in which they began. Empty for tiles that are not profiled.
  std::vector<Block> blocks(unsigned tile) const;
};

// The place in the user's program that made an object of the graph.
class DebugContext : Entry {
public:
  DebugContext(ReportData report, std::size_t index)
      : Entry(std::move(report), index) {}
  std::string kind() const; // "variable", "computeSet" or "program"
  std::string name() const;
  std::string fileName() const;
  std::string functionName() const;
  unsigned lineNumber() const;
};

class Report {
public:
  explicit Report(ReportData data) : data_(std::move(data)) {}
  PoplarVersion poplarVersion() const;
  Compilation compilation() const { return Compilation(data_); }
  // Throws std::runtime_error if the report has none.
  Execution execution() const;
  // Empty unless a debug file was opened with the report.
  std::vector<DebugContext> debugContexts() const;

private:
  ReportData data_;
};

// Reads a profile.pop file, and a debug.cbor file if one is given. Throws
// std::runtime_error with the name of the file, the fault and its byte offset.
Report openReport(const std::string &profilePath,
                  const std::string &debugPath = "");

} // namespace pva
