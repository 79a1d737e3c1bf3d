// Frames payloads as records and passes them to a sink, whole records only. The
// code that runs for every record is inline: function calls would take longer
// than writing a scalar.
#pragma once

#include "summary/records/byte_sink.hpp"
#include "summary/records/record_format.hpp"

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace popscope::summary {

// The bytes of a record.
std::string recordOf(std::string_view payload);

// Used by one thread at a time, except for closeFromSignal.
class RecordWriter {
public:
  static constexpr std::size_t kBufferBytes = std::size_t(1) << 17;

  // `sink` outlives its use here. Nothing is written on destruction.
  explicit RecordWriter(ByteSink &sink);

  // Sends later records to `sink`. Flushes pending records to the current sink
  // first and does nothing if that fails.
  [[nodiscard]] SinkError switchTo(ByteSink &sink);

  // Returns space for a payload of `payloadBytes`; the caller fills it and then
  // commits it before any other call. After the sink has failed, every call
  // reports that same failure and records gather as far as there is room,
  // until goOn; null if there is none.
  [[nodiscard]] char *reserve(std::size_t payloadBytes);
  // Makes the space last reserved a record.
  void commit(std::size_t payloadBytes);

  // Reserve, copy, commit.
  [[nodiscard]] SinkError append(std::string_view payload);

  // Passes all committed records to the sink.
  [[nodiscard]] SinkError flush();

  // Goes on with another sink, which gets a record of this payload and then
  // those that have gathered. If that fails, everything stays as it was.
  [[nodiscard]] SinkError goOn(ByteSink &sink, std::string_view firstPayload);
  // Forgets the records that have gathered.
  void discard() { committed_.store(0); }

  // Passes the committed records to the sink and ends the writer: every later
  // call reports SinkError::closed. May be called from a signal handler and
  // while another thread uses this writer; a record being appended at that
  // moment may be left out. Returns false if the sink failed, now or before, or
  // if a flush is under way, which completes if its thread can continue.
  [[nodiscard]] bool closeFromSignal() noexcept;

  SinkError error() const;
  // Bytes of all records committed so far.
  std::uint64_t bytesCommitted() const { return bytesFlushed_ + pending(); }
  std::size_t pending() const {
    return committed_.load(std::memory_order_relaxed);
  }

private:
  // `busy`: a signal handler must not touch the buffer and the sink. `failed`:
  // the sink has. `ended`: after closeFromSignal, for good.
  enum class State { open, busy, failed, ended };

  bool enter();
  void leave() { state_.store(State::open); }
  bool makeRoom(std::size_t recordBytes);
  bool isEnded() const { return state_.load() == State::ended; }

  ByteSink *sink_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = kBufferBytes;
  // Whole records at the front of the buffer. Atomic because a signal handler
  // may read it between any two instructions.
  std::atomic<std::size_t> committed_{0};
  std::atomic<State> state_{State::open};
  // The last header made. Most records are as long as the one before.
  char header_[kHeaderBytes];
  std::size_t headerFor_ = 0;
  std::uint64_t bytesFlushed_ = 0;
  SinkError failed_ = SinkError::none;
};

inline SinkError RecordWriter::error() const {
  if (failed_ != SinkError::none)
    return failed_;
  return isEnded() ? SinkError::closed : SinkError::none;
}

inline char *RecordWriter::reserve(std::size_t payloadBytes) {
  assert(payloadBytes <= kMaxPayloadBytes && "no reader takes such a record");
  if (isEnded())
    return nullptr;
  const std::size_t recordBytes = payloadBytes + kFrameBytes;
  if (pending() + recordBytes > capacity_ && !makeRoom(recordBytes))
    return nullptr;
  return buffer_.get() + pending() + kHeaderBytes;
}

inline void RecordWriter::commit(std::size_t payloadBytes) {
  const std::size_t begin = pending();
  char *const record = buffer_.get() + begin;
  if (payloadBytes != headerFor_) {
    storeHeader(header_, payloadBytes);
    headerFor_ = payloadBytes;
  }
  std::memcpy(record, header_, sizeof header_);
  storeFooter(record + kHeaderBytes + payloadBytes,
              {record + kHeaderBytes, payloadBytes});
  committed_.store(begin + payloadBytes + kFrameBytes,
                   std::memory_order_release);
}

} // namespace popscope::summary
