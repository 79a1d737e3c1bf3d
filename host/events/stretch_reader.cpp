#include "host/events/stretch_reader.hpp"

#include "summary/reading/event_view.hpp"
#include "summary/records/file_source.hpp"
#include "summary/records/record_format.hpp"
#include "summary/records/record_reader.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace popscope::host::events {

StretchReader::StretchReader(std::filesystem::path file, std::uint64_t begin,
                             std::uint64_t end, const Options &options)
    : file_(std::move(file)), begin_(begin), end_(end), bytes_(options.bytes),
      count_((end - begin + options.bytes - 1) / options.bytes),
      // Two more than threads, so that none waits for the caller.
      slots_(options.threads + 2) {
  try {
    for (std::size_t i = 0; i < options.threads; ++i)
      threads_.emplace_back([this] { readStretches(); });
  } catch (const std::system_error &) {
    // The system gives no more of them; those there are do the work.
  }
}

StretchReader::~StretchReader() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
}

Stretch *StretchReader::next() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (std::exchange(isGiven_, false)) {
    slotOf(released_).isReady = false;
    ++released_;
    changed_.notify_all();
  }
  if (released_ == count_ || threads_.empty())
    return nullptr;
  Slot &slot = slotOf(released_);
  changed_.wait(lock, [&] { return slot.isReady; });
  isGiven_ = true;
  return &slot.stretch;
}

void StretchReader::readStretches() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] {
      return stop_ || begun_ == count_ || begun_ < released_ + slots_.size();
    });
    if (stop_ || begun_ == count_)
      return;
    const std::uint64_t number = begun_++;
    Slot &slot = slotOf(number);
    lock.unlock();
    read(number, slot.stretch);
    lock.lock();
    slot.isReady = true;
    changed_.notify_all();
  }
}

void StretchReader::read(std::uint64_t number, Stretch &stretch) const {
  const std::uint64_t from = begin_ + number * bytes_;
  stretch.limit = std::min(from + bytes_, end_);
  stretch.begin = stretch.end = stretch.limit;
  stretch.records = 0;
  stretch.index.restart();
  try {
    summary::FileSource source(file_, from);
    summary::RecordReader records(source, from);
    if (number != 0 && !records.findRecord(stretch.limit))
      return;
    stretch.begin = stretch.end = records.offset();
    while (stretch.end < stretch.limit) {
      if (records.nextSeveral(stretch.limit) != summary::ReadState::record)
        return;
      const auto payloads = records.payloads();
      const std::size_t events = stretch.index.addRecords(payloads);
      stretch.records += events;
      if (events < payloads.size()) {
        for (const std::string_view event : payloads.first(events))
          stretch.end += event.size() + summary::kFrameBytes;
        return;
      }
      stretch.end = records.nextOffset();
    }
  } catch (const std::system_error &) {
    // Whoever goes on from the end of the stretch gets to see it.
  } catch (const std::exception &) {
    // What the index holds is not known; so the stretch is none.
    stretch.begin = stretch.end = stretch.limit;
    stretch.records = 0;
    stretch.index = RunIndex();
  }
}

} // namespace popscope::host::events
