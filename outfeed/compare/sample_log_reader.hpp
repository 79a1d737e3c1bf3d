// Reads a sample log, update by update. The file is of records as in event
// files (summary/records/record_format.hpp):
//
//   "popscope samples 1"                    once
//   {"tensor": "conv_0_acts", ...}          a tensor: the first is number 0
//   U | update | (number | digest)...       samples of an update
//
// Numbers are varints, digests as appendDigest writes them. Updates ascend; an
// update may have several records in a row.
#pragma once

#include "outfeed/compare/logged_tensor.hpp"
#include "outfeed/compare/sample_digest.hpp"
#include "summary/records/byte_source.hpp"
#include "summary/records/record_reader.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::outfeed {

constexpr char kSampleLogName[] = "samples.log"; // in the directory of a run
constexpr std::string_view kSampleLogHeader = "popscope samples 1";
constexpr char kUpdateMark = 'U';

// The update of a record of samples; nothing if the record is another.
std::optional<Update> updateOfRecord(std::string_view record);

class SampleLogReader {
public:
  // `source` outlives this. Throws std::invalid_argument if it does not begin
  // like a sample log.
  explicit SampleLogReader(summary::ByteSource &source);

  // Moves to the next update; false at the end.
  bool next();
  Update update() const { return Update(current_); }
  // Those known so far; those of the current update are.
  const std::vector<LoggedTensor> &tensors() const { return tensors_; }
  // Of a tensor at the current update, or null.
  const SampleDigest *digest(std::size_t tensor) const {
    return tensor < digests_.size() && digests_[tensor].update == current_
               ? &digests_[tensor].value
               : nullptr;
  }

  // What was wrong with the bytes so far: a torn tail, damage that was skipped.
  // Empty if nothing was.
  const std::string &flaw() const { return flaw_; }

private:
  static constexpr std::uint64_t kNever = ~std::uint64_t(0);
  struct Digest {
    SampleDigest value;
    std::uint64_t update = kNever;
  };

  bool nextRecord();
  void readSamples(std::string_view samples);

  summary::RecordReader records_;
  std::vector<LoggedTensor> tensors_;
  std::vector<std::uint64_t> elements_; // of each tensor
  std::vector<Digest> digests_;
  std::uint64_t current_ = kNever; // update
  bool isPending_ = false;         // the record read last is not used yet
  std::string flaw_;
};

} // namespace popscope::outfeed
