#include "graph/pipeline.hpp"

namespace popscope::graph {

namespace {

using poplar::program::Sequence;

class TimeStep {
public:
  TimeStep(const std::vector<PipelineStage> &stages, unsigned microBatches,
           unsigned time)
      : stages_(stages), microBatches_(microBatches), time_(time) {}

  // Whether every stage runs both forward and backward.
  bool isFull() const { return runsForward(0) && runsBackward(0); }

  // Backward runs first: it frees the stash slot that forward fills.
  Sequence program() const {
    Sequence step;
    for (unsigned s = 0; s + 1 < count(); ++s)
      if (runsBackward(s))
        step.add(stages_[s].backward);
    for (unsigned s = 0; s < count(); ++s)
      if (runsForward(s))
        step.add(stages_[s].forward);
    // A stage that only reshapes forwards the tensor it received, so it must
    // send before it receives the next: the last stages send first.
    for (unsigned s = count(); s-- > 0;)
      if (runsForward(s))
        step.add(stages_[s].sendForward);
    for (unsigned s = 0; s < count(); ++s)
      if (runsBackward(s))
        step.add(stages_[s].sendBackward);
    return step;
  }

private:
  unsigned count() const { return unsigned(stages_.size()); }
  bool isMicroBatch(unsigned delay) const {
    return time_ >= delay && time_ - delay < microBatches_;
  }
  bool runsForward(unsigned s) const { return isMicroBatch(s); }
  bool runsBackward(unsigned s) const {
    return isMicroBatch(s + stashDepth(s, count()));
  }

  const std::vector<PipelineStage> &stages_;
  unsigned microBatches_;
  unsigned time_;
};

} // namespace

Sequence groupedSchedule(const std::vector<PipelineStage> &stages,
                         unsigned microBatches) {
  const unsigned times = microBatches + stashDepth(0, unsigned(stages.size()));
  Sequence schedule;
  for (unsigned time = 0; time < times;) {
    const TimeStep step(stages, microBatches, time);
    unsigned repeats = 1;
    if (step.isFull())
      while (TimeStep(stages, microBatches, time + repeats).isFull())
        ++repeats;
    schedule.add(poplar::program::Repeat(repeats, step.program()));
    time += repeats;
  }
  return schedule;
}

} // namespace popscope::graph
