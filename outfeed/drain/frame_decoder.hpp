// From frames to samples, one per tap.
#pragma once

#include "outfeed/control/tap_control.hpp"
#include "outfeed/frames/frame.hpp"
#include "outfeed/frames/frame_shares.hpp"
#include "outfeed/health/tensor_health.hpp"
#include "outfeed/program/tap_program.hpp"
#include "outfeed/sinks/sample_sink.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace popscope::outfeed {

enum class FrameError { none, wrongSize, wrongVersion, wrongSource };

const char *describe(FrameError error);

// One tensor of one execution.
struct DecodedSample {
  const Tap &tap;
  Update update;
  SampleOrigin origin;
  unsigned samplesPerUpdate; // of this tap, from one replica
  TensorSample sample;
  const void *elements = nullptr; // of a full tensor, and their bytes
  std::size_t bytes = 0;
  std::optional<Evidence> evidence = {}; // if the tap's condition held
  // Merged on the device; its origin is then the first of them.
  unsigned replicas = 1;
};

// What the health of a program needs of it.
struct DecodedHealth {
  const Tap &tap;
  Update update;
  SampleOrigin origin;
  TensorHealth health;
};

struct RecordReplicas {
  unsigned first, count = 1;
};

// The row of a record, as the tier of `payload` has it.
DecodedSample decodedRecord(const TapPlan &plan,
                            const TapSource::Record &record, Payload payload,
                            const unsigned *row, unsigned execution,
                            const RecordReplicas &replicas,
                            unsigned executionsPerUpdate);

class FrameDecoder {
public:
  using TakeSample = std::function<void(const DecodedSample &)>;
  using TakeHealth = std::function<void(const DecodedHealth &)>;

  // `plan` and `program` outlive the decoder and are complete. So does
  // `control`, which is null unless the plan is live.
  FrameDecoder(const TapPlan &plan, const TapProgram &program,
               unsigned replicas, const TapControl *control = nullptr)
      : plan_(plan), program_(program), replicas_(replicas), control_(control),
        shares_(replicas) {}

  // Before the first frame, if the device begins at another update than 0.
  void resumeAt(Update update) { firstUpdate_ = update; }
  unsigned replicas() const { return replicas_; }
  bool hasRecorder() const { return !program_.rings().empty(); }

  // Calls `take` for each sample, but `takeAlarm`, which costs less, for those
  // of alarms if it is not null; neither if the frame is damaged.
  // Shares of merged records are kept until those of all replicas are there.
  [[nodiscard]] FrameError decode(const Frame &frame, const TakeSample &take,
                                  const TakeHealth &takeAlarm = nullptr);
  // Calls `take` for shares that are left, of which others were dropped.
  void finish(const TakeSample &take);

  // The update of a frame that is whole and carries no dumped tensors.
  std::optional<Update> updateOf(const Frame &frame) const;
  // Of a whole tensor, which was decoded: what other instances need of it.
  bool isOfWholeTensor(const Frame &frame) const {
    return isWhole(frame) && !frame.isSummary &&
           sourceOf(frame).records.empty() && sourceOf(frame).dump.empty();
  }
  Frame summaryOf(const Frame &frame, const TensorSample &sample) const;

  // The source of the frame if it carries dumped tensors and is whole, or null.
  const TapSource *dumpSource(const Frame &frame) const;
  const TensorTraits &tensorOf(const TapSource &source) const {
    return plan_.tap(source.full).tensor;
  }

private:
  bool isWhole(const Frame &frame) const;
  const TapSource &sourceOf(const Frame &frame) const {
    return program_.sources()[frame.origin.source];
  }
  FrameError decodeRecords(const TapSource &source, const Frame &frame,
                           const TakeSample &take, const TakeHealth &takeAlarm);
  void decodeMerged(const FrameShares::Set &shares, const TakeSample &take);
  FrameError decodeFull(const TapSource &source, const Frame &frame,
                        const TakeSample &take);

  const TapPlan &plan_;
  const TapProgram &program_;
  const unsigned replicas_;
  const TapControl *const control_;
  FrameShares shares_;
  Update firstUpdate_{0};
};

} // namespace popscope::outfeed
