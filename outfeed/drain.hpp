// The one thread that reads the queue: decodes frames, folds samples, tells the
// sinks.
#pragma once

#include "outfeed/frame_decoder.hpp"
#include "outfeed/frame_queue.hpp"
#include "outfeed/sample_fold.hpp"
#include "outfeed/sinks/sample_sink.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace popscope::outfeed {

// A sink that throws, and a frame that is damaged, end the telling: the first
// error is kept, later frames are read and forgotten, the device never waits.
class Drain {
public:
  // The queue outlives the drain; sinks are asked for from its thread.
  Drain(FrameQueue &queue, FrameDecoder decoder, Fold fold,
        std::vector<std::unique_ptr<SampleSink>> &sinks);
  ~Drain(); // closes the queue and joins
  Drain(const Drain &) = delete;
  Drain &operator=(const Drain &) = delete;

  // Waits until the sinks have been told of every frame pushed before, with
  // nothing left to be folded. No frame may be pushed meanwhile.
  void flush();

  // Flush first; the sinks are told that it is over.
  void close(const TapReport &report);
  // Before the first frame: an earlier start told of the updates below.
  void resumeAt(Update update);

  // In words; empty while all is well.
  std::string error() const;

private:
  void run();
  void read(const Frame &frame);
  void guarded(const std::function<void()> &action);

  FrameQueue &queue_;
  FrameDecoder decoder_;
  std::vector<std::unique_ptr<SampleSink>> &sinks_;
  mutable std::mutex mutex_;      // guards the folding, the sinks and the error
  std::vector<SampleFold> folds_; // one for each sink
  std::string error_;
  std::thread thread_; // last: it uses all of the above
};

} // namespace popscope::outfeed
