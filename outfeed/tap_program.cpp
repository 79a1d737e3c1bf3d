#include "outfeed/tap_program.hpp"

#include "graph/taps/stats_vertices.hpp"
#include "text/nearest_names.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace popscope::outfeed {

namespace {

using poplar::program::Execute;
using poplar::program::If;
using poplar::program::Sequence;
using poplar::program::Switch;

// All that is added is found under this name in a profile.
std::string debugName(const std::string &what) { return "popscope/" + what; }

poplar::Tensor addWord(poplar::Graph &graph, unsigned value, unsigned tile,
                       const char *name) {
  const poplar::Tensor word =
      graph.addVariable(poplar::UNSIGNED_INT, {}, {debugName(name)});
  graph.setTileMapping(word, tile);
  graph.setInitialValue(word, value);
  return word;
}

// Whether one more compute set is worth it: a tensor that is read at once need
// not be kept until the flush.
bool isLarge(const poplar::Tensor &tensor) {
  return tensor.numElements() >= std::size_t(1) << 16;
}

std::size_t sentBytes(const Tap &tap) {
  return tap.payload == Payload::full
             ? tap.tensor.bytes()
             : rowWords(tierOf(tap.payload)) * sizeof(unsigned);
}

} // namespace

std::vector<unsigned> TapClock::wordsAt(Update update) const {
  std::vector<unsigned> words{update.value() * executionsPerUpdate};
  for (const UpdateSchedule &schedule : schedules)
    words.push_back(schedule.isDue(update));
  return words;
}

TapProgram::TapProgram(TapPlan &plan, unsigned microBatchesPerUpdate,
                       std::string name, RecorderOptions recorder)
    : plan_(plan), microBatchesPerUpdate_(std::max(1u, microBatchesPerUpdate)),
      name_(std::move(name)), armed_(name_),
      recorder_(std::move(recorder), name_ + "/recorder") {}

void TapProgram::visit(poplar::Graph &graph, Sequence &prog,
                       const graph::TapPoint &point) {
  const bool isSpoilt = addFaults(graph, prog, point);
  const bool mayChange = interventions_.add(graph, prog, point, mask_);
  if ((isSpoilt || mayChange) && point.unchanged) {
    graph::TapPoint changed = point;
    changed.unchanged = false;
    addTaps(graph, prog, changed, isSpoilt);
  } else {
    addTaps(graph, prog, point, isSpoilt);
  }
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
    Pending pending{tap, {}, {}};
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
    shareRow(*alarm, ofTap);
    return;
  }
  // Without a row of the rule's tap, that of the alarm is recorded, or one that
  // is there for nothing else.
  const bool needsRow = isRecorded && !hasRow && (tap || alarm);
  const bool alarmHasRow = alarm && !alarm->masked;
  if (alarm) {
    Pending pending{alarm, {}, {}};
    if (needsRow && alarmHasRow)
      pending.recordedAs = tap ? tap : alarm;
    addTap(graph, prog, point, std::move(pending));
    if (dump_)
      addDump(graph, prog, point, *alarm);
  }
  if (needsRow && !alarmHasRow) {
    Pending pending{tap ? tap : alarm, {}, {}};
    pending.recordedAs = pending.tap;
    pending.onlyRecorded = true;
    addTap(graph, prog, point, std::move(pending));
  }
}

StatsTier TapProgram::tierOf(const Pending &pending) {
  if (pending.onlyRecorded)
    return kRecordedTier;
  const StatsTier tier = outfeed::tierOf(*pending.tap);
  return pending.recordedAs ? std::max(tier, kRecordedTier) : tier;
}

UpdateSchedule TapProgram::scheduleOf(const Pending &pending) {
  return pending.recordedAs ? UpdateSchedule() : pending.tap->schedule;
}

bool TapProgram::isMasked(const Pending &pending) {
  return pending.tap->masked && !pending.recordedAs;
}

// Whether their records leave the device at the same updates, unless the host
// turns one of them on or off. A condition has a state, so a masked tap that
// has one is always judged by itself.
bool TapProgram::areAlike(const Pending &a, const Pending &b) {
  if (&a == &b)
    return true;
  const Tap &x = *a.tap, &y = *b.tap;
  return scheduleOf(a) == scheduleOf(b) && isMasked(a) == isMasked(b) &&
         (!isMasked(a) || x.id == y.id ||
          (TapPlan::isAlarm(x.id) == TapPlan::isAlarm(y.id) &&
           x.rule == y.rule && !x.condition && !y.condition));
}

void TapProgram::addDump(poplar::Graph &graph, Sequence &prog,
                         const graph::TapPoint &point, const Tap &tap) {
  const graph::PartialStats &stats = unit_.pending.back().stats;
  if (!point.unchanged)
    dump_->add(graph, prog, point, tap, stats, [&]() -> TapSource & {
      return newSource(tap.schedule, point.moment, point.name + "/dump");
    });
}

void TapProgram::shareRow(Tap &alarm, std::size_t with) {
  Pending pending{&alarm, {}, {}};
  pending.sharedWith = with;
  unit_.pending.push_back(std::move(pending));
  alarm.bytes = rowWords(StatsTier::alarm) * sizeof(unsigned);
}

poplar::Tensor TapProgram::executionOf(poplar::Graph &graph) {
  if (!unit_.execution.valid()) {
    unit_.execution = addWord(graph, 0, tiles_.next(graph), "execution");
  }
  return unit_.execution;
}

bool TapProgram::addFaults(poplar::Graph &graph, Sequence &prog,
                           const graph::TapPoint &point) {
  bool isSpoilt = false;
  for (PlannedFault &planned : injections_) {
    const Injection &injection = planned.injection;
    if (planned.isAdded || injection.tensor != point.name ||
        (injection.moment && *injection.moment != point.moment))
      continue;
    planned.isAdded = isSpoilt = true;
    const unsigned perUpdate = executionsPerUpdate(point.moment);
    if (injection.microBatch >= perUpdate)
      throw std::invalid_argument(
          "[outfeed] fault '" + injection.text + "': an update has " +
          std::to_string(perUpdate) + " of this tensor, counted from 0");
    graph::addFault(graph, point.tensor, injection.fault, executionOf(graph),
                    injection.update.value() * perUpdate + injection.microBatch,
                    prog, {debugName(point.name)});
  }
  return isSpoilt;
}

void TapProgram::requireInjections() const {
  std::vector<std::string> names;
  for (const TensorTraits &tensor : plan_.tensors())
    names.push_back(tensor.name);
  for (const PlannedFault &planned : injections_)
    if (!planned.isAdded)
      throw std::invalid_argument(
          "[outfeed] fault '" + planned.injection.text + "': no tensor '" +
          planned.injection.tensor + "'; the nearest are " +
          text::nearestNames(planned.injection.tensor, names));
}

void TapProgram::addTap(poplar::Graph &graph, Sequence &prog,
                        const graph::TapPoint &point, Pending added) {
  Sequence body;
  Tap &tap = *added.tap;
  const bool isFull = tap.payload == Payload::full && !added.onlyRecorded;
  if (isFull && !tap.condition) {
    addFullCopy(graph, tap, point, body);
    tap.bytes = sources_.back().bytes;
    unit_.hasFull = true;
    addWhenDue(graph, tap, body, prog);
    return;
  }
  const Summarised *const same = isFull ? nullptr : summarised(point, added);
  unit_.pending.push_back(std::move(added));
  Pending &pending = unit_.pending.back();
  if (same) {
    pending.stats = same->stats;
    tap.bytes = sentBytes(tap);
  } else if (point.lasting && !isLarge(point.tensor) &&
             (!dump_ || (tap.condition && !pending.onlyRecorded))) {
    pending.lasting = point.tensor;
  } else {
    poplar::ComputeSet stats = graph.addComputeSet({debugName(point.name)});
    addStats(graph, pending, point.tensor, stats);
    body.add(Execute(stats, {debugName(point.name)}));
    if (isFull)
      addArmedCopy(graph, pending, point, body);
    addWhenDue(graph, pending, body, prog);
  }
}

const TapProgram::Summarised *
TapProgram::summarised(const graph::TapPoint &point,
                       const Pending &pending) const {
  // A masked tap may be due when the earlier one is not.
  if (!point.unchanged || microBatchesPerUpdate_ != 1 || isMasked(pending))
    return nullptr;
  const auto found = summarised_.find(point.name);
  return found != summarised_.end() &&
                 found->second.schedule == scheduleOf(pending) &&
                 found->second.stats.tier == tierOf(pending)
             ? &found->second
             : nullptr;
}

void TapProgram::addStats(poplar::Graph &graph, Pending &pending,
                          const poplar::Tensor &tensor,
                          poplar::ComputeSet &computeSet) {
  Tap &tap = *pending.tap;
  const StatsTier tier = tierOf(pending);
  pending.stats = graph::addPartialStats(graph, tensor, tier, computeSet,
                                         {debugName(tap.tensor.name)});
  if (!pending.onlyRecorded)
    tap.bytes = sentBytes(tap);
  // What is recorded besides is added.
  const std::size_t before = pending.onlyRecorded ? 1 : 0;
  tap.tileBytes = before * tap.tileBytes +
                  pending.stats.rowsOfATile * rowWords(tier) * sizeof(unsigned);
  tap.cycles = before * tap.cycles +
               graph::tileStatsCycles(pending.stats.largestPart, 1, tier);
}

bool TapProgram::wantsUpdate(const std::string &name) const {
  const std::string gradient = name.substr(0, name.rfind('_')) + "_grad";
  TensorTraits traits;
  for (const TensorTraits &tensor : plan_.tensors())
    if (tensor.name == gradient)
      traits = tensor;
  traits.name = name;
  traits.kind = graph::TensorKind::update;
  traits.moment = graph::TapMoment::applied;
  return plan_.wants(traits);
}

poplar::Tensor TapProgram::dueFlag(poplar::Graph &graph,
                                   const UpdateSchedule &schedule) {
  const auto known =
      std::find(unit_.schedules.begin(), unit_.schedules.end(), schedule);
  if (known != unit_.schedules.end())
    return unit_.due[std::size_t(known - unit_.schedules.begin())];
  unit_.schedules.push_back(schedule);
  unit_.due.push_back(addWord(graph, schedule.isDue(Update(0)), 0, "due"));
  return unit_.due.back();
}

void TapProgram::addWhenDue(poplar::Graph &graph, const Pending &pending,
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
  const poplar::Tensor due =
      tap.masked ? mask_.flag(graph, tap.id) : dueFlag(graph, tap.schedule);
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

void TapProgram::addFullCopy(poplar::Graph &graph, const Tap &tap,
                             const graph::TapPoint &point, Sequence &prog) {
  // By the host, which gets the elements.
  graph::requireSummarisable(point.tensor.elementType());
  TapSource &source = newSource(tap.schedule, point.moment, point.name);
  source.full = tap.id;
  addTransfer(graph, source, point.tensor.flatten(), prog,
              {debugName(point.name)});
}

void TapProgram::addArmedCopy(poplar::Graph &graph, Pending &pending,
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
  const poplar::Tensor execution = executionOf(graph); // records have it
  addAllRecords(graph, prog, moment);
  addClock(graph, moment, execution, prog);
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
  std::vector<Pending *> left;
  for (Pending &pending : unit_.pending)
    left.push_back(&pending);
  while (!left.empty()) {
    const Pending &first = *left.front();
    const auto rest = std::stable_partition(
        left.begin(), left.end(),
        [&](const Pending *pending) { return areAlike(*pending, first); });
    addGroupWhenDue(graph, {left.begin(), rest}, moment, prog);
    left.erase(left.begin(), rest);
  }
  if (moment == graph::TapMoment::microBatch)
    for (const Pending &pending : unit_.pending)
      if (!pending.sharedWith)
        summarised_[pending.tap->tensor.name] = {scheduleOf(pending),
                                                 pending.stats};
}

void TapProgram::addGroupWhenDue(poplar::Graph &graph,
                                 const std::vector<Pending *> &group,
                                 graph::TapMoment moment, Sequence &prog) {
  const Pending &first = *group.front();
  Sequence all;
  addGroup(graph, group, moment, all);
  if (!isMasked(first) || group.size() == 1) {
    addWhenDue(graph, first, all, prog);
    return;
  }
  std::vector<TapId> taps;
  Sequence some;
  for (Pending *pending : group) {
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
                          const std::vector<Pending *> &group,
                          graph::TapMoment moment, Sequence &prog) {
  poplar::ComputeSet stats = graph.addComputeSet({debugName("stats")});
  bool hasLasting = false;
  for (Pending *pending : group)
    if (pending->lasting.valid()) {
      addStats(graph, *pending, pending->lasting, stats);
      hasLasting = true;
    }
  if (hasLasting)
    prog.add(Execute(stats, {debugName("stats")}));

  const unsigned tile = tiles_.next(graph);
  addRows(graph, group, tile, prog);
  std::vector<Pending *> always, merged, armed, recorded;
  for (Pending *pending : group) {
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
    addRecords(graph, always, moment, tile, prog);
  if (!merged.empty())
    addMergedRecords(graph, merged, moment, tile, prog);
  if (!armed.empty())
    addArmed(graph, armed, moment, tile, prog);
  if (!recorded.empty())
    addRings(graph, recorded, moment, prog);
}

void TapProgram::addRows(poplar::Graph &graph,
                         const std::vector<Pending *> &group, unsigned tile,
                         Sequence &prog) {
  std::vector<Pending *> own; // which have rows to merge
  std::size_t words = 0;
  for (Pending *pending : group)
    if (!pending->sharedWith && !pending->row.valid()) {
      own.push_back(pending);
      words += rowWords(pending->stats.tier);
    }
  const poplar::Tensor rows =
      graph.addVariable(poplar::UNSIGNED_INT, {words}, {debugName("records")});
  graph.setTileMapping(rows, tile);
  graph::RowMerges merges;
  std::size_t begin = 0;
  for (Pending *pending : own) {
    const std::size_t end = begin + rowWords(pending->stats.tier);
    pending->row = rows.slice(begin, end);
    merges.add(pending->stats, pending->row);
    begin = end;
  }
  merges.build(graph, prog, {debugName("rows")});
}

void TapProgram::addRecords(poplar::Graph &graph,
                            const std::vector<Pending *> &group,
                            graph::TapMoment moment, unsigned tile,
                            Sequence &prog) {
  TapSource &source =
      newSource(group.front()->tap->schedule, moment, "records");
  std::vector<poplar::Tensor> parts{
      headerOf(graph, source, unit_.execution, tile)};
  std::size_t word = kFrameHeaderWords;
  for (const Pending *pending : group) {
    const Pending &read =
        pending->sharedWith ? unit_.pending[*pending->sharedWith] : *pending;
    const std::size_t words = rowWords(outfeed::tierOf(pending->tap->payload));
    source.records.push_back({pending->tap->id, word, read.stats.order});
    parts.push_back(read.row.slice(0, words));
    word += words;
  }
  addTransfer(graph, source, poplar::concat(parts), prog,
              {debugName("records")});
}

void TapProgram::addMergedRecords(poplar::Graph &graph,
                                  const std::vector<Pending *> &group,
                                  graph::TapMoment moment, unsigned tile,
                                  Sequence &prog) {
  TapSource &source = newSource(group.front()->tap->schedule, moment, "merged");
  source.isMerged = true;
  std::vector<graph::ReplicaRow> rows;
  for (const Pending *pending : group) {
    const StatsTier tier = outfeed::tierOf(pending->tap->payload);
    rows.push_back({pending->row.slice(0, rowWords(tier)), tier});
  }
  const graph::MergedRows merged = graph::mergeAcrossReplicas(
      graph, rows, tile, prog, {debugName("merged")});
  for (std::size_t i = 0; i < group.size(); ++i)
    source.records.push_back({group[i]->tap->id,
                              kFrameHeaderWords + merged.places[i].word,
                              group[i]->stats.order, merged.places[i]});
  addTransfer(graph, source,
              poplar::concat(headerOf(graph, source, unit_.execution, tile),
                             merged.share),
              prog, {debugName("merged")});
}

void TapProgram::addArmed(poplar::Graph &graph,
                          const std::vector<Pending *> &group,
                          graph::TapMoment moment, unsigned tile,
                          Sequence &prog) {
  std::vector<ArmedProgram::Armed> armed;
  for (const Pending *pending : group)
    armed.push_back({*pending->tap, pending->row, pending->stats.tier,
                     pending->stats.order, pending->lasting});
  armed_.add(
      graph, armed,
      {moment, executionsPerUpdate(moment), unit_.execution, tile,
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
                          const std::vector<Pending *> &group,
                          graph::TapMoment moment, Sequence &prog) {
  std::vector<RecorderProgram::Row> rows;
  for (const Pending *pending : group)
    rows.push_back({*pending->recordedAs, pending->row, pending->stats.order});
  recorder_.add(graph, rows,
                {moment, executionsPerUpdate(moment), unit_.execution}, tiles_,
                prog);
}

void TapProgram::addClock(poplar::Graph &graph, graph::TapMoment moment,
                          const poplar::Tensor &execution, Sequence &prog) {
  std::vector<unsigned> every, from, until, listEnd, list;
  for (const UpdateSchedule &schedule : unit_.schedules) {
    every.push_back(schedule.every);
    from.push_back(schedule.from);
    until.push_back(schedule.until);
    list.insert(list.end(), schedule.updates.begin(), schedule.updates.end());
    listEnd.push_back(unsigned(list.size()));
  }
  std::vector<poplar::Tensor> due;
  for (const poplar::Tensor &flag : unit_.due)
    due.push_back(flag.reshape({1}));
  const poplar::Tensor flags =
      due.empty()
          ? graph.addVariable(poplar::UNSIGNED_INT, {0}, {debugName("due")})
          : poplar::concat(due);
  const poplar::ComputeSet clock = graph.addComputeSet({debugName("clock")});
  const poplar::VertexRef vertex = graph.addVertex(
      clock, "popscope::TapClock", {{"execution", execution}, {"due", flags}});
  graph.setInitialValue(vertex["executionsPerUpdate"],
                        executionsPerUpdate(moment));
  graph.setInitialValue(vertex["every"], every);
  graph.setInitialValue(vertex["from"], from);
  graph.setInitialValue(vertex["until"], until);
  graph.setInitialValue(vertex["listEnd"], listEnd);
  graph.setInitialValue(vertex["list"], list);
  graph.setTileMapping(vertex, 0);
  graph.setPerfEstimate(vertex, 20 + 12 * every.size() + 4 * list.size());
  prog.add(Execute(clock, {debugName("clock")}));

  clocks_.push_back({name_ + "/clock/" + std::to_string(clocks_.size()),
                     executionsPerUpdate(moment), unit_.schedules});
  graph.createHostWrite(clocks_.back().handle,
                        poplar::concat(execution.reshape({1}), flags));
}

} // namespace popscope::outfeed
