// Reads records from a stream of bytes that may be torn or damaged.
#pragma once

#include "summary/records/byte_source.hpp"
#include "summary/records/crc32c.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::summary {

// What is wrong at one place in a file.
struct Damage {
  enum class Kind {
    lengthCrc, // the length, or its CRC, was altered
    dataCrc,   // the payload, or its CRC, was altered
    tooLong,   // the length is genuine but no event can be that long
    notAnEvent // the record is whole but its payload is not an event
  };
  Kind kind;
  std::uint64_t offset; // of the record's first byte in the file
  std::uint64_t length; // payload bytes, as the header has it
  MaskedCrc stored;
  MaskedCrc computed;
};

// One line for people: kind, offset, length, both CRCs.
std::string describe(const Damage &damage);

enum class ReadState {
  record,   // payload() is a record whose CRCs both hold
  end,      // all bytes so far are whole records; more may come
  tornTail, // the bytes end inside a record; the rest may come
  damaged,  // damage() says how; the reader stays here until resync()
};

// Holds at most twice the memory of the longest record that is really there,
// whatever a header claims.
class RecordReader {
public:
  // `source` outlives this reader; its first byte has this offset in the file.
  explicit RecordReader(ByteSource &source, std::uint64_t offset = 0);

  // Moves to the next record. After `end` and `tornTail` it may be called
  // again to see whether the file has grown.
  ReadState next();

  // Valid after `record`, until the next call.
  std::string_view payload() const { return payload_; }

  // Where the record, torn tail or damage begins; after `end`, the end.
  std::uint64_t offset() const { return offset_; }
  // Where the next call of next() begins; damage is not skipped.
  std::uint64_t nextOffset() const { return offset_ + given_; }

  // After `tornTail`: how many of the record's bytes are there, and how many
  // it needs (a header's worth if not even that is there).
  std::uint64_t tornBytes() const { return available(); }
  std::uint64_t tornNeeded() const { return needed_; }

  // After `damaged`.
  const Damage &damage() const { return *damage_; }

  // After `damaged`: moves past the damage to the next place where a whole
  // record, or at least a valid header, begins, or to the end of the bytes.
  // next() continues there. Takes time in proportion to the bytes skipped,
  // whatever they are. Returns their number.
  std::uint64_t resync();

  // Before the first next(): moves from any offset in a file to the first such
  // place before `limit`. False if there is none. The place may be inside a
  // record that contains the bytes of other records.
  [[nodiscard]] bool findRecord(std::uint64_t limit);

private:
  std::size_t available() const { return end_ - begin_; }
  const char *front() const { return buffer_.data() + begin_; }
  bool fill(std::uint64_t bytes) { return available() >= bytes || read(bytes); }
  bool read(std::uint64_t bytes);
  void drop(std::size_t bytes);
  ReadState damaged(const Damage &damage);
  bool isKnown(std::uint64_t length, MaskedCrc crc) const {
    const KnownHeader &known = known_[length % kKnownHeaders];
    return length == known.length && crc == known.crc;
  }
  bool plausibleRecordHere(std::uint64_t &checks);
  std::size_t zerosToPass(std::uint64_t limit) const;
  bool skipToZeros(std::uint64_t limit);

  ByteSource &source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0; // of the bytes not yet given out
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0; // of begin_ in the file, or of the last record
  std::size_t given_ = 0;    // bytes of the record last given out
  std::uint64_t needed_ = 0;
  // Headers whose CRCs were valid, indexed by the low bits of their lengths.
  // Most records are as long as a recent one and have the same header, which
  // then needs no CRC of its own.
  struct KnownHeader {
    std::uint64_t length;
    MaskedCrc crc;
  };
  static constexpr std::size_t kKnownHeaders = 64;
  std::vector<KnownHeader> known_;
  std::string_view payload_;
  std::optional<Damage> damage_;
};

} // namespace popscope::summary
