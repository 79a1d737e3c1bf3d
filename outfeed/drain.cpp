#include "outfeed/drain.hpp"

#include <exception>
#include <utility>

namespace popscope::outfeed {

Drain::Drain(FrameQueue &queue, FrameDecoder decoder, Fold fold,
             std::vector<std::unique_ptr<SampleSink>> &sinks)
    : queue_(queue), decoder_(decoder), sinks_(sinks),
      folds_(sinks.size(), SampleFold(fold)), thread_([this] { run(); }) {}

Drain::~Drain() {
  queue_.close();
  thread_.join();
}

void Drain::run() {
  Frame frame;
  while (queue_.pop(frame)) {
    const std::lock_guard lock(mutex_);
    if (error_.empty())
      guarded([&] { read(frame); });
  }
}

void Drain::read(const Frame &frame) {
  const FrameError error =
      decoder_.decode(frame, [this](const DecodedSample &decoded) {
        for (std::size_t i = 0; i < sinks_.size(); ++i) {
          if (decoded.elements)
            sinks_[i]->takeElements(decoded.tap, decoded.update, decoded.origin,
                                    decoded.elements, decoded.bytes);
          folds_[i].add(decoded, *sinks_[i]);
        }
      });
  if (error != FrameError::none)
    error_ = describe(error);
}

void Drain::guarded(const std::function<void()> &action) {
  try {
    action();
  } catch (const std::exception &error) {
    error_ = error.what();
  }
}

void Drain::flush() {
  queue_.waitUntilRead();
  const std::lock_guard lock(mutex_);
  if (!error_.empty())
    return;
  guarded([this] {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      folds_[i].finish(*sinks_[i]);
      sinks_[i]->flush();
    }
  });
}

void Drain::close(const TapReport &report) {
  const std::lock_guard lock(mutex_);
  if (error_.empty())
    guarded([&] {
      for (const auto &sink : sinks_)
        sink->close(report);
    });
}

void Drain::resumeAt(Update update) {
  const std::lock_guard lock(mutex_);
  decoder_.resumeAt(update);
  guarded([&] {
    for (const auto &sink : sinks_)
      sink->resume(update);
  });
}

std::string Drain::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

} // namespace popscope::outfeed
