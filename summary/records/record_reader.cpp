#include "summary/records/record_reader.hpp"

#include "summary/records/record_format.hpp"

#include <algorithm>
#include <cassert>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

namespace popscope::summary {
namespace {

constexpr std::size_t kReadBytes = std::size_t(1) << 18;

// How many bytes of payloads a search for the next record checks: so many for
// each byte that it has passed, and some to begin with. In a file of headers
// that are valid but false it would check each of their long payloads.
constexpr std::uint64_t kCheckedPerByte = 8;
constexpr std::uint64_t kCheckedAtFirst = kMaxPayloadBytes;

std::string_view nameOf(Damage::Kind kind) {
  switch (kind) {
  case Damage::Kind::lengthCrc:
    return "length does not match its CRC";
  case Damage::Kind::dataCrc:
    return "data do not match their CRC";
  case Damage::Kind::tooLong:
    return "longer than any event can be";
  case Damage::Kind::notAnEvent:
    return "not an event";
  }
  return "unknown damage";
}

MaskedCrc storedCrc(const char *from) {
  return MaskedCrc(loadLittleEndian<std::uint32_t>(from));
}

} // namespace

std::string describe(const Damage &damage) {
  char text[192];
  std::snprintf(text, sizeof text,
                "record at byte %" PRIu64 ": %s (length %" PRIu64
                ", CRC stored %08" PRIx32 ", computed %08" PRIx32 ")",
                damage.offset, nameOf(damage.kind).data(), damage.length,
                damage.stored.stored(), damage.computed.stored());
  return text;
}

RecordReader::RecordReader(ByteSource &source, std::uint64_t offset)
    : source_(source), offset_(offset),
      known_(kKnownHeaders, {0, MaskedCrc::of(std::string(8, '\0'))}) {}

// Makes `bytes` bytes available if the source has them. The buffer at most
// doubles before more bytes arrive, so a false length allocates little.
bool RecordReader::read(std::uint64_t bytes) {
  while (available() < bytes) {
    if (begin_ > 0 &&
        (end_ == buffer_.size() || bytes > buffer_.size() - begin_)) {
      std::memmove(buffer_.data(), front(), available());
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == buffer_.size())
      buffer_.resize(std::max<std::size_t>(
          kReadBytes,
          std::min<std::uint64_t>(2 * buffer_.size(), bytes + kReadBytes)));
    // After a long record, read only the next header: any more would have to be
    // moved to the front of the buffer.
    const std::uint64_t wanted = bytes < kReadBytes / 2
                                     ? buffer_.size()
                                     : bytes - available() + kHeaderBytes;
    const std::size_t got =
        source_.read(buffer_.data() + end_,
                     std::min<std::uint64_t>(wanted, buffer_.size() - end_));
    if (got == 0)
      return false;
    end_ += got;
  }
  return true;
}

void RecordReader::drop(std::size_t bytes) {
  begin_ += bytes;
  offset_ += bytes;
  if (begin_ == end_)
    begin_ = end_ = 0;
}

ReadState RecordReader::damaged(const Damage &damage) {
  damage_ = damage;
  return ReadState::damaged;
}

ReadState RecordReader::next() {
  if (damage_)
    return ReadState::damaged;
  drop(std::exchange(given_, 0));
  payload_ = {};

  if (!fill(kHeaderBytes)) {
    needed_ = kHeaderBytes;
    return available() == 0 ? ReadState::end : ReadState::tornTail;
  }
  const auto length = loadLittleEndian<std::uint64_t>(front());
  const MaskedCrc lengthCrc = storedCrc(front() + kLengthBytes);
  if (!isKnown(length, lengthCrc)) {
    const MaskedCrc computed = MaskedCrc::of({front(), kLengthBytes});
    if (lengthCrc != computed)
      return damaged(
          {Damage::Kind::lengthCrc, offset_, length, lengthCrc, computed});
    if (length > kMaxPayloadBytes)
      return damaged(
          {Damage::Kind::tooLong, offset_, length, lengthCrc, computed});
    known_[length % kKnownHeaders] = {length, lengthCrc};
  }
  needed_ = length + kFrameBytes;
  if (!fill(needed_))
    return ReadState::tornTail;

  const std::string_view payload(front() + kHeaderBytes, length);
  const MaskedCrc dataStored = storedCrc(payload.data() + length);
  const MaskedCrc dataComputed = MaskedCrc::of(payload);
  if (dataStored != dataComputed)
    return damaged(
        {Damage::Kind::dataCrc, offset_, length, dataStored, dataComputed});
  payload_ = payload;
  given_ = needed_;
  return ReadState::record;
}

// Whether a header with a valid CRC is here and, if the whole payload is there,
// the payload's CRC is valid, too. `checks` is how many more bytes may be
// checked; a header that goes beyond has to do.
bool RecordReader::plausibleRecordHere(std::uint64_t &checks) {
  const auto length = loadLittleEndian<std::uint64_t>(front());
  if (length > kMaxPayloadBytes || storedCrc(front() + kLengthBytes) !=
                                       MaskedCrc::of({front(), kLengthBytes}))
    return false;
  if (length > checks)
    return true;
  checks -= length;
  if (!fill(length + kFrameBytes))
    return true;
  return storedCrc(front() + kHeaderBytes + length) ==
         MaskedCrc::of({front() + kHeaderBytes, length});
}

// Skips to the next place where a length may begin. Lengths are below 2^31, so
// their upper four bytes are zero: a byte that is not zero rules out all four
// places for which it would be one of those.
bool RecordReader::skipToZeros(std::uint64_t limit) {
  constexpr std::size_t kZeros = 4;
  constexpr std::size_t kUpper = kLengthBytes - kZeros;
  while (offset_ < limit && fill(kHeaderBytes)) {
    const char *const zeros = front() + kUpper;
    const std::size_t places = std::min<std::uint64_t>(
        available() - kHeaderBytes + 1, limit - offset_);
    std::size_t at = 0;
    while (at < places && zeros[at + kZeros - 1] != 0)
      at += kZeros;
    // `at` may be up to three places past the end.
    drop(std::min(at, places));
    if (at < places)
      return true;
  }
  return false;
}

// Of the bytes here, a header's worth or more, how many can be passed because
// no header is all zeros; a hole in a file may be long.
std::size_t RecordReader::zerosToPass(std::uint64_t limit) const {
  constexpr std::size_t kRest = kHeaderBytes - 1;
  const char *const end =
      front() + std::min<std::uint64_t>(available() - kRest, limit - offset_) +
      kRest;
  const auto zeros = std::size_t(
      std::find_if(front(), end, [](char byte) { return byte != 0; }) -
      front());
  return zeros < kHeaderBytes ? 0 : zeros - kHeaderBytes + 1;
}

bool RecordReader::findRecord(std::uint64_t limit) {
  std::uint64_t checks = kCheckedAtFirst;
  std::uint64_t passed = offset_;
  while (skipToZeros(limit)) {
    if (const std::size_t zeros = zerosToPass(limit)) {
      drop(zeros);
      continue;
    }
    checks += (offset_ - passed) * kCheckedPerByte;
    passed = offset_;
    if (plausibleRecordHere(checks))
      return true;
    drop(1);
  }
  return false;
}

std::uint64_t RecordReader::resync() {
  assert(damage_ && "resync without damage");
  const std::uint64_t from = offset_;
  // With a bad data CRC the length is still right and leads to the next record.
  const bool lengthHolds = damage_->kind == Damage::Kind::dataCrc;
  const auto skip =
      lengthHolds ? std::size_t(damage_->length + kFrameBytes) : std::size_t(1);
  damage_.reset();
  drop(skip);
  if (lengthHolds)
    return offset_ - from;
  if (!findRecord(std::numeric_limits<std::uint64_t>::max()))
    drop(available());
  return offset_ - from;
}

} // namespace popscope::summary
