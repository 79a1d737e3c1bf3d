// Adds the taps of a plan to a program as it is built.
#pragma once

#include "graph/taps/device_stats.hpp"
#include "graph/taps/tap_point.hpp"
#include "outfeed/program/armed_program.hpp"
#include "outfeed/program/dump_program.hpp"
#include "outfeed/program/fault_program.hpp"
#include "outfeed/program/intervention_program.hpp"
#include "outfeed/program/pending_tap.hpp"
#include "outfeed/program/record_frames.hpp"
#include "outfeed/program/recorder_program.hpp"
#include "outfeed/program/tap_mask.hpp"
#include "outfeed/program/tap_stream.hpp"
#include "outfeed/program/tile_turn.hpp"
#include "outfeed/program/unit_clock.hpp"
#include "outfeed/tap_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace popscope::outfeed {

// A tensor that no rule wants costs no vertex, no stream and no byte. What is
// added only reads the tensors: small ones marked `lasting` where the unit is
// flushed, all in one compute set, the others where they are visited. A tensor
// that has not changed since it was summarised is not read again.
class TapProgram : public graph::TapObserver {
public:
  // The plan outlives this object. `microBatchesPerUpdate` turns executions of
  // micro-batch units into updates. Handles of streams begin with `name`.
  explicit TapProgram(TapPlan &plan, unsigned microBatchesPerUpdate = 1,
                      std::string name = "popscope",
                      RecorderOptions recorder = {});

  void visit(poplar::Graph &graph, poplar::program::Sequence &prog,
             const graph::TapPoint &point) override;
  // Decides by the size and stage of the gradient: NAME_grad for NAME_update.
  bool wantsUpdate(const std::string &name) const override {
    return plan_.wantsUpdate(name);
  }
  poplar::program::Sequence
  whenNeeded(poplar::Graph &graph, const std::string &name,
             graph::TapMoment moment,
             const poplar::program::Sequence &body) override;
  void flush(poplar::Graph &graph, poplar::program::Sequence &prog,
             graph::TapMoment moment) override;
  // Only for a plan with live control.
  void beginUpdate(poplar::Graph &graph,
                   poplar::program::Sequence &prog) override;

  // Like flush, but the unit goes on until the next flush. To call before the
  // If or Switch that has some of a unit's points in a branch, and at the end
  // of the branch: what is visited there is then sent only if it ran, and is of
  // the same micro-batch as the rest. Payload full is not for branches: its
  // transfers are counted. Records that are merged over replicas need all of
  // them to take the same branch.
  void flushPart(poplar::Graph &graph, poplar::program::Sequence &prog,
                 graph::TapMoment moment);

  // Whether nothing was visited since the last flush.
  bool isFlushed() const {
    return unit_.pending.empty() && !unit_.hasFull && !unit_.clock.isCounting();
  }

  // Before the tensor is visited: what is visited then is spoilt at one
  // execution. This and interventions are all that changes tensors.
  void inject(Injection injection) { faults_.inject(std::move(injection)); }
  // Before anything is visited: sends what an alarm finds bad first; see
  // DumpProgram.
  void dumpFirstBad(std::vector<TensorFilter> infinitiesIntended) {
    dump_.emplace(std::move(infinitiesIntended));
  }
  // Throws std::invalid_argument if a tensor to spoil was not visited.
  void requireInjections() const;
  // With live control, before anything is visited: what control may change.
  InterventionProgram &interventions() { return interventions_; }
  const InterventionProgram &interventions() const { return interventions_; }

  // In the order of the program; complete once the last unit is flushed.
  const std::deque<TapSource> &sources() const { return sources_; }
  const std::vector<TapClock> &clocks() const { return clocks_; }
  const std::vector<TapLimits> &limits() const { return armed_.limits(); }
  const TapMask &mask() const { return mask_; }
  // Of the stream of the mask; empty before beginUpdate, or if nothing is
  // masked.
  const std::string &maskHandle() const { return maskHandle_; }
  const std::vector<TapRing> &rings() const { return recorder_.rings(); }
  // Of a host write of the word that stops the rings; writing kRecordsOn lets
  // them go on.
  const std::string &recorderStopHandle() const {
    return recorder_.stopHandle();
  }
  unsigned recorderUpdates() const { return recorder_.updates(); }
  // Of all rings on the tile that has most of them.
  std::size_t ringBytesOfATile() const { return recorder_.bytesOfATile(); }
  unsigned executionsPerUpdate(graph::TapMoment moment) const {
    return moment == graph::TapMoment::microBatch ? microBatchesPerUpdate_ : 1;
  }

private:
  // Visited since the last flush.
  struct Unit {
    UnitClock clock;
    std::vector<PendingTap> pending;
    bool hasFull = false;
  };

  // A tensor of an earlier unit.
  struct Summarised {
    UpdateSchedule schedule;
    graph::PartialStats stats;
  };

  poplar::Tensor executionOf(poplar::Graph &graph);
  // The tap of a rule and that of health, as far as there are any.
  void addTaps(poplar::Graph &graph, poplar::program::Sequence &prog,
               const graph::TapPoint &point, bool isSpoilt);
  void addTap(poplar::Graph &graph, poplar::program::Sequence &prog,
              const graph::TapPoint &point, PendingTap pending);
  void addDump(poplar::Graph &graph, poplar::program::Sequence &prog,
               const graph::TapPoint &point, const Tap &tap);
  const Summarised *summarised(const graph::TapPoint &point,
                               const PendingTap &pending) const;
  void addWhenDue(poplar::Graph &graph, const PendingTap &pending,
                  const poplar::program::Sequence &body,
                  poplar::program::Sequence &prog);
  void addWhenDue(poplar::Graph &graph, const Tap &tap,
                  const poplar::program::Sequence &body,
                  poplar::program::Sequence &prog);
  void addAllRecords(poplar::Graph &graph, poplar::program::Sequence &prog,
                     graph::TapMoment moment);
  // Of what may be overwritten before the unit is flushed.
  void addArmedCopy(poplar::Graph &graph, PendingTap &pending,
                    const graph::TapPoint &point,
                    poplar::program::Sequence &prog);
  // Of taps that are alike: they leave together if all of them are due, or else
  // each by itself.
  void addGroupWhenDue(poplar::Graph &graph,
                       const std::vector<PendingTap *> &group,
                       graph::TapMoment moment,
                       poplar::program::Sequence &prog);
  // All of one schedule.
  void addGroup(poplar::Graph &graph, const std::vector<PendingTap *> &group,
                graph::TapMoment moment, poplar::program::Sequence &prog);
  std::vector<FrameRow> frameRows(const std::vector<PendingTap *> &group) const;
  // Taps with a condition.
  void addArmed(poplar::Graph &graph, const std::vector<PendingTap *> &group,
                graph::TapMoment moment, unsigned tile,
                poplar::program::Sequence &prog);
  void addRings(poplar::Graph &graph, const std::vector<PendingTap *> &group,
                graph::TapMoment moment, poplar::program::Sequence &prog);
  TapSource &newSource(const UpdateSchedule &schedule, graph::TapMoment moment,
                       const std::string &what);

  TapPlan &plan_;
  const unsigned microBatchesPerUpdate_;
  const std::string name_;
  FaultProgram faults_;
  InterventionProgram interventions_;
  std::optional<DumpProgram> dump_;
  TapMask mask_;
  std::string maskHandle_;
  Unit unit_;
  std::map<std::string, Summarised> summarised_; // per micro-batch, by name
  TileTurn tiles_;                               // of records
  std::deque<TapSource> sources_;
  std::vector<TapClock> clocks_; // one for each unit that was flushed
  ArmedProgram armed_;
  RecorderProgram recorder_;
};

} // namespace popscope::outfeed
