// The thread that reads the queue: decodes frames, folds samples, gives them to
// the sinks.
#pragma once

#include "outfeed/drain/frame_decoder.hpp"
#include "outfeed/drain/sample_fold.hpp"
#include "outfeed/drain/tap_traffic.hpp"
#include "outfeed/frames/frame_exchange.hpp"
#include "outfeed/frames/frame_queue.hpp"
#include "outfeed/health/health_monitor.hpp"
#include "outfeed/sinks/sample_sink.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace popscope::outfeed {

// A sink that throws gets nothing more; its first error is kept and the other
// sinks go on. After a damaged frame no sink gets anything more. Either way the
// queue is read to its end, so that the device does not wait in vain.
class Drain {
public:
  // The queue and the sinks outlive the drain, and so do the monitor and the
  // control, which may be null. If some replicas are in other instances, the
  // decoder is one of all replicas, and the sinks get only whole tensors before
  // exchange.
  Drain(FrameQueue &queue, FrameDecoder decoder, Fold fold,
        const std::vector<std::unique_ptr<SampleSink>> &sinks,
        HealthMonitor *monitor = nullptr, TapControl *control = nullptr,
        Instances *instances = nullptr);
  ~Drain(); // closes the queue and joins
  Drain(const Drain &) = delete;
  Drain &operator=(const Drain &) = delete;

  // Between runs, by all instances, if there are several: the first one, whose
  // sinks then get their samples, has the frames of all.
  void exchange();
  // Of the other instances, as of the last exchange.
  FrameCounts elsewhere() const;

  // Waits until the sinks have every sample of the frames pushed so far, and
  // flushes them. No frame may be pushed meanwhile.
  void flush();
  // Closes the sinks. Flush first.
  void close(const TapReport &report);
  // Before the first frame: an earlier start of the program has written the
  // updates before this one.
  void resumeAt(Update update);

  // Before the first frame: the sinks of an earlier start have had the verdict,
  // and get none from this one.
  void skipVerdict();

  // Gives the sinks what the recorder kept, unless they had a sample of it.
  // Flush first. The samples of a tap and replica are in the order of their
  // executions. Returns the number of those that were given.
  std::size_t takeRecorded(const std::vector<DecodedSample> &samples);
  // Whether a condition held, or a tensor was not finite, since then. At any
  // time.
  bool hasEvent() const { return event_; }

  // From the next frame on, frames are read and forgotten. Flush first.
  void mute();
  TapTraffic traffic() const;

  // Fills in what went wrong here.
  void addTo(TapReport &report) const;

private:
  struct Listener {
    SampleSink &sink;
    summary::WriteReport loss; // has an error once the sink threw
  };

  void run();
  // Until the exchange.
  void hold(const Frame &frame);
  void read(const Frame &frame);
  void take(const DecodedSample &decoded);
  void tellElements(const DecodedSample &decoded);
  void watch(const DecodedHealth &decoded);
  void tellVerdict();
  void tellChanges();
  void take(const Tap &tap, Update update, const TensorSample &sample);
  bool wasSent(const Tap &tap, Update update) const;
  template <class Action> void tellAll(const Action &action);
  template <class Action>
  static void tell(Listener &listener, const Action &action);

  FrameQueue &queue_;
  mutable std::mutex mutex_; // guards all below: two threads call the sinks
  FrameDecoder decoder_;
  std::optional<FrameExchange> exchange_; // if there are other instances
  Update heldUpdate_{0};                  // the last
  SampleFold fold_;
  HealthMonitor *const monitor_;
  TapControl *const control_;
  bool verdictTold_ = false;
  std::vector<Listener> listeners_;
  SampleFold recordedFold_;
  std::size_t recordedGiven_ = 0; // in this call
  // Of taps with a condition, since the recorder was read.
  std::set<std::pair<TapId, std::uint32_t>> sent_;
  std::atomic<bool> event_{false};
  bool alarmsWanted_ = false; // by any of them
  bool isMuted_ = false;
  TapTraffic traffic_;
  FrameError damage_ = FrameError::none;
  std::thread thread_; // last: it uses all of the above
};

} // namespace popscope::outfeed
