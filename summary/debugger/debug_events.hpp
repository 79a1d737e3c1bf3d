// The records of TensorBoard's debugger (tfdbg2), as bytes.
//
// The reader is easily stopped for good: by an op that is not in the graph, by
// an id with '_' or '.', by a whole tensor (FULL_TENSOR), on which it waits for
// itself. None of these is written.
#pragma once

#include "summary/debugger/debugged_program.hpp"
#include "summary/types.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::summary {

constexpr std::string_view kDebuggerRunId = "popscope";

// Each file's records that are known before the program runs.
std::string metadataRecord(WallTime time);
// The run id in such a record; empty if it is another record.
std::string runIdOf(std::string_view metadataRecord);
std::vector<std::string> sourceFileRecords(const DebuggedProgram &program,
                                           WallTime time);
std::vector<std::string> stackFrameRecords(const DebuggedProgram &program,
                                           WallTime time);
std::vector<std::string> graphRecords(const DebuggedProgram &program,
                                      WallTime time);

// One execution of the program; the health of its one output is what the page's
// timeline shows.
std::string executionRecord(const DebuggedProgram &program, WallTime time,
                            Step step, const HealthCounts &health);

// Writes the health of the output of one op, byte for byte as protobuf would.
// The counts are written as integers, not as doubles as TensorFlow does: the
// reader makes numbers of either, and most integers take a byte or two.
class TraceEncoder {
public:
  // `name` is the op's of opNames, `number` its place.
  TraceEncoder(const DebuggedProgram &program, std::size_t number,
               const std::string &name);

  // Both for the same arguments: the size of the record, then its bytes, for
  // which `to` has room.
  std::size_t bytes(Step step, const HealthCounts &health);
  void encode(WallTime time, Step step, char *to) const;

private:
  static constexpr std::size_t kMostValues = 11;

  std::string graphAndName_; // fields, encoded
  std::string device_;       // likewise
  std::uint64_t tensorId_;
  std::uint64_t deviceId_;
  std::uint64_t dataType_;
  std::uint64_t rank_;

  // Of the last call of bytes().
  std::uint64_t values_[kMostValues] = {};
  std::size_t numValues_ = 0;
  std::size_t packedBytes_ = 0; // of the values
  std::size_t tensorBytes_ = 0;
  std::size_t contentBytes_ = 0;
};

} // namespace popscope::summary
