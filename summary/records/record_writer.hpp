// Frames payloads as records and hands them to a sink, whole records only. What
// happens for every record is inline: a scalar is written in less time than a
// few calls take.
#pragma once

#include "summary/records/byte_sink.hpp"
#include "summary/records/record_format.hpp"

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace popscope::summary {

// Used by one thread at a time, except for closeFromSignal.
class RecordWriter {
public:
  static constexpr std::size_t kBufferBytes = std::size_t(1) << 17;

  // `sink` outlives its use here. Nothing is written on destruction.
  explicit RecordWriter(ByteSink &sink);

  // Sends later records to `sink`; what is pending goes to the present one
  // first, and the call does nothing if that fails.
  [[nodiscard]] SinkError switchTo(ByteSink &sink);

  // Space for a payload of `payloadBytes`, to be filled and then committed
  // before any other call. Null once the writer has failed: after the first
  // failure every call reports that same failure, since a later success would
  // leave a hole and readers abandon the file from there on.
  [[nodiscard]] char *reserve(std::size_t payloadBytes);
  // Makes the space last reserved a record.
  void commit(std::size_t payloadBytes);

  // Reserve, copy, commit.
  [[nodiscard]] SinkError append(std::string_view payload);

  // Hands all committed records to the sink.
  [[nodiscard]] SinkError flush();

  // Hands the committed records to the sink and ends the writer: every later
  // call reports SinkError::closed. May be called from a signal handler and
  // while another thread is inside this writer; a record being appended at
  // that very moment may be left out. Returns false if the records could not
  // be handed over because a flush was under way (it completes if its thread
  // is allowed to continue) or because the sink failed, now or before.
  bool closeFromSignal() noexcept;

  SinkError error() const;
  // Bytes of all records committed so far.
  std::uint64_t bytesCommitted() const { return bytesFlushed_ + pending(); }
  std::size_t pending() const {
    return committed_.load(std::memory_order_relaxed);
  }

private:
  // `busy` covers the moments when buffer and sink must not be touched from a
  // signal handler; `ended` is for good, after a failure or closeFromSignal.
  enum class State { open, busy, ended };

  bool enter();
  void leave() { state_.store(State::open); }
  bool makeRoom(std::size_t recordBytes);

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
  return state_.load() == State::ended ? SinkError::closed : SinkError::none;
}

inline char *RecordWriter::reserve(std::size_t payloadBytes) {
  assert(payloadBytes <= kMaxPayloadBytes && "no reader takes such a record");
  if (error() != SinkError::none)
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
