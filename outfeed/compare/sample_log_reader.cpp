#include "outfeed/compare/sample_log_reader.hpp"

#include <stdexcept>

namespace popscope::outfeed {

std::optional<Update> updateOfRecord(std::string_view record) {
  if (record.empty() || record.front() != kUpdateMark)
    return std::nullopt;
  record.remove_prefix(1);
  std::uint64_t update = 0;
  if (!takeNumber(record, update) || update >> 32 != 0)
    return std::nullopt;
  return Update(std::uint32_t(update));
}

SampleLogReader::SampleLogReader(summary::ByteSource &source)
    : records_(source) {
  if (records_.next() != summary::ReadState::record ||
      records_.payload() != kSampleLogHeader)
    throw std::invalid_argument("[outfeed] not a sample log, or one of "
                                "another version");
}

// Moves to the next whole record.
bool SampleLogReader::nextRecord() {
  using summary::ReadState;
  while (true) {
    switch (records_.next()) {
    case ReadState::record:
      return true;
    case ReadState::end:
      return false;
    case ReadState::tornTail:
      if (flaw_.empty())
        flaw_ = "its last record is torn";
      return false;
    case ReadState::damaged:
      if (flaw_.empty())
        flaw_ = "damaged at byte " + std::to_string(records_.offset());
      records_.resync();
    }
  }
}

bool SampleLogReader::next() {
  const std::uint64_t last = current_;
  current_ = kNever;
  while (isPending_ || nextRecord()) {
    isPending_ = false;
    const std::string_view record = records_.payload();
    if (!record.empty() && record.front() == '{') {
      tensors_.push_back(parseLoggedTensor(record));
      elements_.push_back(tensors_.back().elements());
      digests_.emplace_back();
      digests_.back().value.scale = tensors_.back().scale;
      digests_.back().value.format = tensors_.back().dtype == "half"
                                         ? summary::FloatFormat::float16
                                         : summary::FloatFormat::float32;
      continue;
    }
    const std::optional<Update> update = updateOfRecord(record);
    if (!update || (last != kNever && update->value() <= last)) {
      if (flaw_.empty())
        flaw_ = "a record at byte " + std::to_string(records_.offset()) +
                " is not one of a sample log";
      continue;
    }
    if (current_ != kNever && update->value() != current_) {
      isPending_ = true;
      return true;
    }
    current_ = update->value();
    readSamples(record.substr(1));
  }
  return current_ != kNever;
}

void SampleLogReader::readSamples(std::string_view samples) {
  std::uint64_t number = 0;
  bool isGood = takeNumber(samples, number); // the update
  while (isGood && !samples.empty()) {
    isGood = takeNumber(samples, number) && number < tensors_.size();
    if (!isGood)
      break;
    // One that is not whole replaces one that this update may have had.
    isGood = takeDigest(samples, elements_[number], digests_[number].value);
    digests_[number].update = isGood ? current_ : kNever;
  }
  if (!isGood && flaw_.empty())
    flaw_ = "samples of update " + std::to_string(current_) +
            " are not as a sample log has them";
}

} // namespace popscope::outfeed
