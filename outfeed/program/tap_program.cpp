#include "outfeed/program/tap_program.hpp"

#include "graph/taps/stats_vertices.hpp"

#include <algorithm>
#include <utility>

namespace popscope::outfeed {

namespace {

using poplar::program::Execute;
using poplar::program::If;
using poplar::program::Sequence;
using poplar::program::Switch;

// All that is added is found under this name in a profile.
std::string debugName(const std::string &what) { return "popscope/" + what; }

// A tensor that is read at once need not be kept until the flush, nor be made
// if it is in a part that is not used. That is worth one more compute set, but
// not for a few elements.
bool isCheapToKeep(const graph::TapPoint &point) {
  return point.partOf.empty() && point.tensor.numElements() < std::size_t(1)
                                                                  << 15;
}

} // namespace

TapProgram::TapProgram(TapPlan &plan, unsigned microBatchesPerUpdate,
                       std::string name, RecorderOptions recorder)
    : plan_(plan), microBatchesPerUpdate_(std::max(1u, microBatchesPerUpdate)),
      name_(std::move(name)), armed_(name_),
      recorder_(std::move(recorder), name_ + "/recorder") {}

void TapProgram::visit(poplar::Graph &graph, Sequence &prog,
                       const graph::TapPoint &point) {
  const bool isSpoilt =
      faults_.add(graph, prog, point, executionsPerUpdate(point.moment),
                  [&] { return executionOf(graph); });
  const bool mayChange = interventions_.add(graph, prog, point, mask_);
  graph::TapPoint tapped = point;
  tapped.unchanged = point.unchanged && !isSpoilt && !mayChange;
  addTaps(graph, prog, tapped, isSpoilt);
  if (dump_)
    dump_->remember(point);
}

void TapProgram::addTaps(poplar::Graph &graph, Sequence &prog,
                         const graph::TapPoint &point, bool isSpoilt) {
  const TensorTraits traits = traitsOf(point);
  Tap *const tap = plan_.add(traits);
  // Its row is there at every update.
  const bool hasRow = tap && !tap->masked && tap->schedule.isAlways() &&
                      (tap->payload != Payload::full || tap->condition);
  const bool isRecorded = recorder_.isWanted();
  if (tap) {
    PendingTap pending{tap, {}, {}};
    if (isRecorded && hasRow)
      pending.recordedAs = tap;
    addTap(graph, prog, point, std::move(pending));
  }
  const std::size_t ofTap = unit_.pending.size() - 1; // if it has a row
  const bool isWatched = tap && TapPlan::tellsHealth(*tap);
  if (dump_ && isWatched)
    addDump(graph, prog, point, *tap);
  for (Tap *const standby : plan_.addStandbys(traits))
    addTap(graph, prog, point, {standby, {}, {}});

  // No fault begins in what is only passed on. What is bad in an update is bad
  // in the weight.
  const bool canBeFirst =
      isSpoilt ||
      !(point.unchanged || keepsFinite(point.derivation.computation) ||
        point.kind == graph::TensorKind::update);
  Tap *const alarm = canBeFirst ? plan_.addAlarm(traits, tap) : nullptr;
  if (alarm && hasRow && !dump_) {
    // The row has what the alarm needs.
    PendingTap pending{alarm, {}, {}};
    pending.sharedWith = ofTap;
    unit_.pending.push_back(std::move(pending));
    alarm->bytes = rowWords(StatsTier::alarm) * sizeof(unsigned);
    return;
  }
  // Without a row of the rule's tap, that of the alarm is recorded, or one that
  // is there for nothing else.
  const bool needsRow = isRecorded && !hasRow && (tap || alarm);
  const bool alarmHasRow = alarm && !alarm->masked;
  if (alarm) {
    PendingTap pending{alarm, {}, {}};
    if (needsRow && alarmHasRow)
      pending.recordedAs = tap ? tap : alarm;
    addTap(graph, prog, point, std::move(pending));
    if (dump_)
      addDump(graph, prog, point, *alarm);
  }
  if (needsRow && !alarmHasRow) {
    PendingTap pending{tap ? tap : alarm, {}, {}};
    pending.recordedAs = pending.tap;
    pending.onlyRecorded = true;
    addTap(graph, prog, point, std::move(pending));
  }
}

void TapProgram::addDump(poplar::Graph &graph, Sequence &prog,
                         const graph::TapPoint &point, const Tap &tap) {
  const graph::PartialStats &stats = unit_.pending.back().stats;
  if (!point.unchanged)
    dump_->add(graph, prog, point, tap, stats, [&]() -> TapSource & {
      return newSource(tap.schedule, point.moment, point.name + "/dump");
    });
}

poplar::Tensor TapProgram::executionOf(poplar::Graph &graph) {
  return unit_.clock.execution(graph, tiles_);
}

void TapProgram::requireInjections() const { faults_.require(plan_.tensors()); }

void TapProgram::addTap(poplar::Graph &graph, Sequence &prog,
                        const graph::TapPoint &point, PendingTap added) {
  Sequence body;
  Tap &tap = *added.tap;
  const bool isFull = tap.payload == Payload::full && !added.onlyRecorded;
  if (isFull && !tap.condition) {
    // By the host, which gets the elements.
    graph::requireSummarisable(point.tensor.elementType());
    TapSource &source = newSource(tap.schedule, point.moment, point.name);
    source.full = tap.id;
    addTransfer(graph, source, point.tensor.flatten(), body,
                {debugName(point.name)});
    tap.bytes = source.bytes;
    unit_.hasFull = true;
    addWhenDue(graph, tap, body, prog);
    return;
  }
  const Summarised *const same = isFull ? nullptr : summarised(point, added);
  unit_.pending.push_back(std::move(added));
  PendingTap &pending = unit_.pending.back();
  if (same) {
    pending.stats = same->stats;
    tap.bytes = sentBytes(tap);
  } else if (point.lasting && isCheapToKeep(point) &&
             (!dump_ || (tap.condition && !pending.onlyRecorded))) {
    pending.lasting = point.tensor;
  } else {
    poplar::ComputeSet stats = graph.addComputeSet({debugName(point.name)});
    pending.addStats(graph, point.tensor, stats);
    body.add(Execute(stats, {debugName(point.name)}));
    if (isFull)
      addArmedCopy(graph, pending, point, body);
    addWhenDue(graph, pending, body, prog);
  }
}

const TapProgram::Summarised *
TapProgram::summarised(const graph::TapPoint &point,
                       const PendingTap &pending) const {
  // A masked tap may be due when the earlier one is not.
  if (!point.unchanged || microBatchesPerUpdate_ != 1 || pending.isMasked())
    return nullptr;
  const auto found = summarised_.find(point.name);
  return found != summarised_.end() &&
                 found->second.schedule == pending.schedule() &&
                 found->second.stats.tier == pending.tier()
             ? &found->second
             : nullptr;
}

void TapProgram::addWhenDue(poplar::Graph &graph, const PendingTap &pending,
                            const Sequence &body, Sequence &prog) {
  if (pending.recordedAs)
    prog.add(body);
  else
    addWhenDue(graph, *pending.tap, body, prog);
}

void TapProgram::addWhenDue(poplar::Graph &graph, const Tap &tap,
                            const Sequence &body, Sequence &prog) {
  if (!tap.masked && tap.schedule.isAlways()) {
    prog.add(body);
    return;
  }
  const poplar::Tensor due = tap.masked
                                 ? mask_.flag(graph, tap.id)
                                 : unit_.clock.dueFlag(graph, tap.schedule);
  prog.add(If(due, body, Sequence(), {debugName("due")}));
}

Sequence TapProgram::whenNeeded(poplar::Graph &graph, const std::string &name,
                                graph::TapMoment moment, const Sequence &body) {
  const std::vector<const Tap *> taps = plan_.tapsOf(name, moment);
  Sequence prog;
  if (taps.size() == 1) {
    addWhenDue(graph, *taps.front(), body, prog);
    return prog;
  }
  std::vector<TapId> masked;
  for (const Tap *tap : taps)
    if (tap->masked)
      masked.push_back(tap->id);
  if (masked.size() < taps.size())
    prog.add(body); // at every update of the one, or of the other
  else if (!taps.empty())
    prog.add(
        If(mask_.share(graph, masked), body, Sequence(), {debugName("due")}));
  return prog;
}

void TapProgram::beginUpdate(poplar::Graph &graph, Sequence &prog) {
  if (mask_.isEmpty())
    return;
  maskHandle_ = name_ + "/mask";
  mask_.addTransfer(graph, prog, maskHandle_);
}

TapSource &TapProgram::newSource(const UpdateSchedule &schedule,
                                 graph::TapMoment moment,
                                 const std::string &what) {
  TapSource source;
  source.number = unsigned(sources_.size());
  source.handle = name_ + "/" + std::to_string(source.number) + "/" + what;
  source.schedule = schedule;
  source.moment = moment;
  sources_.push_back(std::move(source));
  return sources_.back();
}

void TapProgram::addArmedCopy(poplar::Graph &graph, PendingTap &pending,
                              const graph::TapPoint &point, Sequence &prog) {
  executionOf(graph);
  const unsigned tile = tiles_.next(graph);
  addRows(graph, {&pending}, tile, prog);
  pending.lasting = point.tensor;
  addArmed(graph, {&pending}, point.moment, tile, prog);
  pending.lasting = {};
  pending.isSent = true;
}

void TapProgram::flush(poplar::Graph &graph, Sequence &prog,
                       graph::TapMoment moment) {
  if (isFlushed())
    return;
  executionOf(graph); // records have it
  addAllRecords(graph, prog, moment);
  clocks_.push_back(
      unit_.clock.add(graph, name_ + "/clock/" + std::to_string(clocks_.size()),
                      executionsPerUpdate(moment), prog));
  unit_ = {};
  if (dump_)
    dump_->flush();
}

void TapProgram::flushPart(poplar::Graph &graph, Sequence &prog,
                           graph::TapMoment moment) {
  executionOf(graph); // which the rest of the unit counts
  addAllRecords(graph, prog, moment);
  unit_.pending.clear();
}

void TapProgram::addAllRecords(poplar::Graph &graph, Sequence &prog,
                               graph::TapMoment moment) {
  for (const std::vector<PendingTap *> &group : groupsOfAlike(unit_.pending))
    addGroupWhenDue(graph, group, moment, prog);
  if (moment == graph::TapMoment::microBatch)
    for (const PendingTap &pending : unit_.pending)
      if (!pending.sharedWith)
        summarised_[pending.tap->tensor.name] = {pending.schedule(),
                                                 pending.stats};
}

void TapProgram::addGroupWhenDue(poplar::Graph &graph,
                                 const std::vector<PendingTap *> &group,
                                 graph::TapMoment moment, Sequence &prog) {
  const PendingTap &first = *group.front();
  Sequence all;
  addGroup(graph, group, moment, all);
  if (!first.isMasked() || group.size() == 1) {
    addWhenDue(graph, first, all, prog);
    return;
  }
  std::vector<TapId> taps;
  Sequence some;
  for (PendingTap *pending : group) {
    Tap &tap = *pending->tap;
    taps.push_back(tap.id);
    const std::size_t tileBytes = pending->lasting.valid() ? tap.tileBytes : 0;
    pending->row = {};
    Sequence alone;
    addGroup(graph, {pending}, moment, alone);
    sources_.back().isSpare = true;
    tap.tileBytes += tileBytes;
    addWhenDue(graph, tap, alone, some);
  }
  prog.add(Switch(
      mask_.share(graph, taps),
      {{int(TapMask::Share::all), all}, {int(TapMask::Share::some), some}},
      {debugName("due")}));
}

void TapProgram::addGroup(poplar::Graph &graph,
                          const std::vector<PendingTap *> &group,
                          graph::TapMoment moment, Sequence &prog) {
  poplar::ComputeSet stats = graph.addComputeSet({debugName("stats")});
  bool hasLasting = false;
  for (PendingTap *pending : group)
    if (pending->lasting.valid()) {
      pending->addStats(graph, pending->lasting, stats);
      hasLasting = true;
    }
  if (hasLasting)
    prog.add(Execute(stats, {debugName("stats")}));

  const unsigned tile = tiles_.next(graph);
  addRows(graph, group, tile, prog);
  std::vector<PendingTap *> always, merged, armed, recorded;
  for (PendingTap *pending : group) {
    const Tap &tap = *pending->tap;
    if (!pending->isSent && !pending->onlyRecorded)
      (tap.condition    ? armed
       : tap.isMerged() ? merged
                        : always)
          .push_back(pending);
    if (pending->recordedAs)
      recorded.push_back(pending);
  }
  if (!always.empty())
    addRecordFrame(graph,
                   newSource(always.front()->tap->schedule, moment, "records"),
                   frameRows(always), executionOf(graph), tile, prog);
  if (!merged.empty())
    addMergedFrame(graph,
                   newSource(merged.front()->tap->schedule, moment, "merged"),
                   frameRows(merged), executionOf(graph), tile, prog);
  if (!armed.empty())
    addArmed(graph, armed, moment, tile, prog);
  if (!recorded.empty())
    addRings(graph, recorded, moment, prog);
}

std::vector<FrameRow>
TapProgram::frameRows(const std::vector<PendingTap *> &group) const {
  std::vector<FrameRow> rows;
  for (const PendingTap *pending : group) {
    const PendingTap &read =
        pending->sharedWith ? unit_.pending[*pending->sharedWith] : *pending;
    const StatsTier tier = tierOf(pending->tap->payload);
    rows.push_back({pending->tap->id, tier, read.row.slice(0, rowWords(tier)),
                    read.stats.order});
  }
  return rows;
}

void TapProgram::addArmed(poplar::Graph &graph,
                          const std::vector<PendingTap *> &group,
                          graph::TapMoment moment, unsigned tile,
                          Sequence &prog) {
  std::vector<ArmedProgram::Armed> armed;
  for (const PendingTap *pending : group)
    armed.push_back({*pending->tap, pending->row, pending->stats.tier,
                     pending->stats.order, pending->lasting});
  armed_.add(
      graph, armed,
      {moment, executionsPerUpdate(moment), executionOf(graph), tile,
       recorder_.isWanted() ? recorder_.stop(graph, tiles_).lastUpdate
                            : poplar::Tensor()},
      mask_,
      [this](const UpdateSchedule &schedule, graph::TapMoment at,
             const std::string &what) -> TapSource & {
        return newSource(schedule, at, what);
      },
      prog);
}

void TapProgram::addRings(poplar::Graph &graph,
                          const std::vector<PendingTap *> &group,
                          graph::TapMoment moment, Sequence &prog) {
  std::vector<RecorderProgram::Row> rows;
  for (const PendingTap *pending : group)
    rows.push_back({*pending->recordedAs, pending->row, pending->stats.order});
  recorder_.add(graph, rows,
                {moment, executionsPerUpdate(moment), executionOf(graph)},
                tiles_, prog);
}

} // namespace popscope::outfeed
