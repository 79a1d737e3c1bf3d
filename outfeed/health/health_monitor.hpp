// Watches for the first tensor that is not finite.
#pragma once

#include "outfeed/health/health_history.hpp"
#include "outfeed/health/injection.hpp"
#include "outfeed/health/input_trace.hpp"
#include "outfeed/health/point_graph.hpp"
#include "outfeed/health/verdict.hpp"
#include "outfeed/instances.hpp"
#include "outfeed/intervention.hpp"
#include "outfeed/rules/tensor_filter.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace popscope::outfeed {

struct HealthOptions {
  ReplicaSlice slice; // whose replicas are all watched
  unsigned microBatchesPerUpdate = 1;
  // Tensors in which infinities are no fault, such as the masks of attention.
  std::vector<TensorFilter> infinitiesIntended;
  std::vector<Injection> injections; // which are then named as the cause
  // Those so far, which are named likewise.
  std::function<std::vector<Intervention>()> interventions = {};
};

// Bad tensors are ordered by update, micro-batch and place in the program, not
// by the arrival of their samples: a pipeline works on several micro-batches at
// the same time, and replicas run apart. So the verdict on an update is given
// once all its samples are there, or, if some never come, with those of the
// second update after it.
class HealthMonitor {
public:
  // The plan is complete and outlives the monitor.
  HealthMonitor(const TapPlan &plan, HealthOptions options);

  // What a weight held before the first update.
  void setBefore(const std::string &name, const TensorHealth &health) {
    trace_.setBefore(name, health);
  }
  // The first update, if it is not 0.
  void resumeAt(Update update) { trace_.resumeAt(update); }

  void add(const Tap &tap, Update update, const SampleOrigin &origin,
           const TensorHealth &health);
  // Judges the updates of which not all samples came.
  void finish();

  // Empty if all tensors were finite so far.
  const std::optional<Verdict> &verdict() const { return verdict_; }

private:
  struct Bad {
    std::size_t point;
    SampleOrigin origin;
    TensorHealth health;
  };
  struct Open {
    std::size_t missing = 0; // samples
    std::vector<Bad> bad;
  };

  // Samples of an update.
  std::size_t expectedAt(Update update) const;
  bool isFault(const TensorTraits &tensor, const TensorHealth &health) const;
  bool comesBefore(const Bad &a, const Bad &b) const;
  void judgeFirst();
  void judge(Update update, std::vector<Bad> bad);
  void noteArrivals(const std::vector<Bad> &bad, Update update);
  // Whether a reduction brought it, see Arrival.
  bool isReceived(const Bad &bad, Update update) const;
  void noteFollower(const Bad &bad, Update update);
  void noteHiders(const std::vector<Bad> &bad, Update update);
  Verdict verdictOn(const Bad &bad, Update update) const;
  void blameInterventions(Verdict &verdict) const;

  const HealthOptions options_;
  const PointGraph graph_;
  HealthHistory history_;
  InputTrace trace_;
  std::unordered_map<const Tap *, std::size_t> pointOf_;
  std::vector<const Tap *> taps_; // but those that take the place of another
  std::map<std::uint32_t, Open> open_; // by update
  std::vector<bool> isNoted_;          // by point: as bad or as hider
  std::optional<Verdict> verdict_;
};

} // namespace popscope::outfeed
