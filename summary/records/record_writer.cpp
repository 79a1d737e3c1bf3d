#include "summary/records/record_writer.hpp"

#include <cstring>

namespace popscope::summary {

std::string recordOf(std::string_view payload) {
  std::string record(payload.size() + kFrameBytes, '\0');
  storeHeader(record.data(), payload.size());
  payload.copy(record.data() + kHeaderBytes, payload.size());
  storeFooter(record.data() + kHeaderBytes + payload.size(), payload);
  return record;
}

RecordWriter::RecordWriter(ByteSink &sink)
    : sink_(&sink), buffer_(new char[kBufferBytes]) {
  storeHeader(header_, headerFor_);
  static_assert(std::atomic<State>::is_always_lock_free &&
                    std::atomic<std::size_t>::is_always_lock_free,
                "a signal handler may use only lock-free atomics");
}

SinkError RecordWriter::switchTo(ByteSink &sink) {
  if (flush() != SinkError::none || !enter())
    return error();
  sink_ = &sink;
  leave();
  return SinkError::none;
}

bool RecordWriter::enter() {
  State expected = State::open;
  return state_.compare_exchange_strong(expected, State::busy);
}

bool RecordWriter::makeRoom(std::size_t recordBytes) {
  if (flush() != SinkError::none)
    return false;
  if (recordBytes <= capacity_)
    return true;
  if (!enter())
    return false;
  buffer_.reset(new char[recordBytes]);
  capacity_ = recordBytes;
  leave();
  return true;
}

SinkError RecordWriter::append(std::string_view payload) {
  char *const space = reserve(payload.size());
  if (space == nullptr)
    return error();
  std::memcpy(space, payload.data(), payload.size());
  commit(payload.size());
  return error();
}

SinkError RecordWriter::flush() {
  if (error() != SinkError::none || pending() == 0)
    return error();
  if (!enter())
    return error();
  failed_ = sink_->append({buffer_.get(), pending()});
  if (failed_ != SinkError::none) {
    state_.store(State::failed);
    return failed_;
  }
  bytesFlushed_ += pending();
  committed_.store(0);
  leave();
  return SinkError::none;
}

SinkError RecordWriter::goOn(ByteSink &sink, std::string_view firstPayload) {
  const std::string first = recordOf(firstPayload);
  SinkError error = sink.append(first);
  if (error == SinkError::none && pending() != 0)
    error = sink.append({buffer_.get(), pending()});
  State expected = State::failed;
  if (error == SinkError::none &&
      !state_.compare_exchange_strong(expected, State::busy) && !enter())
    error = SinkError::closed;
  if (error != SinkError::none)
    return error;
  sink_ = &sink;
  failed_ = SinkError::none;
  bytesFlushed_ += first.size() + pending();
  committed_.store(0);
  leave();
  return SinkError::none;
}

bool RecordWriter::closeFromSignal() noexcept {
  State expected = State::open;
  if (!state_.compare_exchange_strong(expected, State::ended))
    return false;
  const std::size_t bytes = committed_.load(std::memory_order_acquire);
  return bytes == 0 || sink_->append({buffer_.get(), bytes}) == SinkError::none;
}

} // namespace popscope::summary
