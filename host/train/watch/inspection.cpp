// Long, because all that watches a training is built, connected and ended here.
#include "host/train/watch/inspection.hpp"

#include "host/command.hpp"
#include "host/run/instance_directory.hpp"
#include "outfeed/sinks/debugger_sink.hpp"
#include "outfeed/sinks/json_lines.hpp"
#include "outfeed/sinks/npy_dump.hpp"
#include "outfeed/sinks/sample_log.hpp"
#include "text/nearest_names.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace popscope::host {

namespace {

// Of tensors that one of the rules names.
std::vector<outfeed::EpochTable::Queue>
queuesOf(const Preset &preset, const std::vector<outfeed::TapRule> &rules) {
  const auto isNamed = [rules](const outfeed::TensorTraits &tensor) {
    return std::any_of(rules.begin(), rules.end(), [&](const auto &rule) {
      return rule.filter.matches(tensor);
    });
  };
  std::vector<outfeed::EpochTable::Queue> queues;
  for (const PresetTable &table : preset.inspection.tables)
    queues.push_back(
        {table.title,
         [kinds = table.kinds, isNamed](const outfeed::TensorTraits &tensor) {
           const bool isOfKind =
               kinds.empty() || std::find(kinds.begin(), kinds.end(),
                                          tensor.kind) != kinds.end();
           return isOfKind && isNamed(tensor);
         }});
  return queues;
}

std::vector<outfeed::TapRule> joined(std::vector<outfeed::TapRule> rules,
                                     std::vector<outfeed::TapRule> more) {
  for (outfeed::TapRule &rule : more)
    rules.push_back(std::move(rule));
  return rules;
}

// What the user wrote, read by `parse`.
template <class T, class Parse>
T parsed(const char *option, const std::string &text, Parse parse) {
  try {
    return parse(text);
  } catch (const std::invalid_argument &error) {
    throw BadInput(std::string(option) + ": " + withoutRoom(error.what()));
  }
}

} // namespace

class Inspection::Alarm : public outfeed::SampleSink {
public:
  explicit Alarm(Inspection &inspection) : inspection_(inspection) {}
  void take(const outfeed::Tap &, outfeed::Update,
            const outfeed::TensorSample &) override {}
  void takeVerdict(const outfeed::Verdict &verdict) override {
    inspection_.takeVerdict(verdict);
  }
  void takeFiring(const outfeed::Firing &firing) override {
    inspection_.takeFiring(firing);
  }

  void takeChange(const outfeed::ControlNote &note) override {
    inspection_.takeChange(note);
  }

private:
  Inspection &inspection_;
};

std::vector<outfeed::TapRule> inspectionRules(const Preset &preset,
                                              const TrainOptions &options) {
  std::vector<outfeed::TapRule> rules;
  const auto add = [&rules](const std::string &text, const std::string &title,
                            outfeed::Unmatched unmatched) {
    try {
      rules.push_back(outfeed::parseTapRule(text));
      rules.back().title = title;
      rules.back().unmatched = unmatched;
    } catch (const std::invalid_argument &error) {
      throw BadInput(title + ": " + withoutRoom(error.what()));
    }
  };
  for (const PresetTap &tap : preset.inspection.taps)
    add(tap.rule, tap.title,
        tap.filters.empty() ? outfeed::Unmatched::isRefused
                            : outfeed::Unmatched::isAccepted);
  unsigned number = 0;
  for (const std::string &rule : options.inspection.rules)
    add(rule, "rule " + std::to_string(++number),
        outfeed::Unmatched::isRefused);
  if (const auto &span = options.inspection.span)
    for (outfeed::TapRule &rule : rules)
      rule.schedule = rule.schedule.within(span->first, span->last);
  return rules;
}

std::vector<std::string> unmatchedTaps(const Preset &preset,
                                       const outfeed::TapPlan &plan) {
  const auto namesOf = [&plan](const std::string &rule) {
    const outfeed::TensorFilter filter = outfeed::TensorFilter::parse(rule);
    std::vector<std::string> names;
    for (const outfeed::TensorTraits &tensor : plan.tensors())
      if (filter.matches(tensor))
        names.push_back(tensor.name);
    return names;
  };
  std::vector<std::string> lines;
  for (const PresetTap &tap : preset.inspection.taps)
    if (!tap.filters.empty() && namesOf(tap.rule).empty())
      lines.push_back(
          tap.title + ": matches nothing; the nearest are " +
          text::nearestNames(tap.filters.front(), namesOf(tap.among)));
  return lines;
}

namespace {

std::vector<outfeed::TensorFilter>
infinitiesIntended(const TrainOptions &options) {
  std::vector<outfeed::TensorFilter> filters;
  for (const std::string &filter : options.inspection.infinitiesIntended)
    filters.push_back(parsed<outfeed::TensorFilter>(
        "--infinities-intended", filter, outfeed::TensorFilter::parse));
  return filters;
}

} // namespace

outfeed::TapOptions tapOptions(const TrainOptions &options,
                               const TrainingPlan &plan) {
  outfeed::TapOptions taps;
  taps.microBatchesPerUpdate = plan.spec.accumulation;
  taps.replicas = plan.replicas;
  taps.health = !options.inspection.noHealth && !options.noInspection;
  taps.dump = options.inspection.onAlarm == OnAlarm::dump;
  taps.recorderUpdates = options.inspection.recorderUpdates;
  // Both need statistics that control could turn off.
  const bool needsAll = taps.dump || taps.recorderUpdates != 0;
  taps.control = !options.inspection.noControl && !needsAll;
  taps.infinitiesIntended = infinitiesIntended(options);
  for (const std::string &filter : options.inspection.interventions)
    taps.interventions.push_back(parsed<outfeed::TensorFilter>(
        "--allow-intervention", filter, outfeed::TensorFilter::parse));
  taps.seed = std::uint32_t(plan.seed);
  if (options.inspection.keepApart)
    taps.fold = outfeed::Fold::apart;
  taps.mergeReplicas = options.inspection.mergeReplicas;
  if (options.inspection.dropFrames)
    taps.fullQueue = outfeed::FullQueue::drop;
  return taps;
}

Inspection::Inspection(const TrainOptions &options, const TrainingPlan &plan,
                       const std::string &runDirectory,
                       outfeed::Instances &instances,
                       outfeed::EventSink::WriterSource log, RunReport &report,
                       outfeed::EventSink::WriterSource recorderLog)
    : report_(report), instances_(instances),
      isFirst_(instances.slice().isFirst()),
      isHealthWatched_(!options.inspection.noHealth && !options.noInspection),
      policy_(options.inspection.onAlarm), preset_(plan.preset),
      runDirectory_(runDirectory),
      infinitiesIntended_(infinitiesIntended(options)),
      checks_(options, plan, report),
      // What the user and the preset say of a tensor goes before what checks
      // need of it.
      session_(joined(checks_.taps(), inspectionRules(plan.preset, options)),
               tapOptions(options, plan), instances),
      cost_(options.inspection, plan, session_, checks_.taps().size()),
      updates_(std::uint32_t(std::uint64_t(plan.epochs) * plan.batchesPerEpoch /
                             plan.spec.accumulation)) {
  for (const std::string &fault : options.inspection.faults)
    faults_.push_back(parsed<outfeed::Injection>(
        "--inject", fault, [this](const std::string &text) {
          outfeed::Injection injection = outfeed::parseInjection(text);
          session_.inject(injection);
          return injection;
        }));
  if (isFirst_)
    addSinks(options, plan, std::move(log), std::move(recorderLog));
  const std::string own = instances.slice().isSplit()
                              ? "/" + instanceFolder(instances.slice().instance)
                              : "";
  session_.addSink(std::make_unique<outfeed::NpyDump>(
      runDirectory + own + "/dump", report.ofUpdates()));
}

void Inspection::addSinks(const TrainOptions &options, const TrainingPlan &plan,
                          outfeed::EventSink::WriterSource log,
                          outfeed::EventSink::WriterSource recorderLog) {
  if (policy_ == OnAlarm::dump) { // before the alarm, which says what it wrote
    auto dump = std::make_unique<outfeed::BadTensorDump>(
        runDirectory_ + "/dump/first_not_finite",
        options.inspection.dumpBudget.value_or(outfeed::DumpBudget()),
        report_.ofUpdates());
    dump_ = dump.get();
    session_.addSink(std::move(dump));
  }
  session_.addSink(std::make_unique<Alarm>(*this));
  session_.addSink(
      std::make_unique<outfeed::EventSink>(log, std::move(recorderLog)));
  if (checks_.areWanted())
    session_.addSink(checks_.makeSink(tapOptions(options, plan).fold, log));
  auto counts = std::make_unique<outfeed::HealthCount>();
  counts_ = counts.get();
  session_.addSink(std::move(counts));
  session_.addSink(std::make_unique<outfeed::SampleLog>(
      runDirectory_ + "/" + outfeed::kSampleLogName, report_.ofUpdates(),
      double(plan.spec.lossScale)));
  if (!options.inspection.json.empty())
    session_.addSink(std::make_unique<outfeed::JsonLines>(
        options.inspection.json, report_.ofUpdates()));
  if (options.inspection.debugger)
    session_.addSink(std::make_unique<outfeed::DebuggerSink>(
        runDirectory_, report_.ofUpdates(),
        tapOptions(options, plan).infinitiesIntended));
  if (options.inspection.watch) {
    auto table = std::make_unique<outfeed::WatchTable>();
    watchTable_ = table.get();
    session_.addSink(std::move(table));
    return; // one table is enough
  }
  const auto rules = inspectionRules(plan.preset, options);
  if (options.quiet || rules.empty())
    return;
  auto table = std::make_unique<outfeed::EpochTable>(
      queuesOf(plan.preset, rules), plan.preset.inspection.tableForm);
  epochTable_ = table.get();
  if (plan.preset.inspection.tablesPrinted == TablesPrinted::afterLastEpoch)
    firstTable_ = plan.epochs - 1;
  session_.addSink(std::move(table));
}

void Inspection::keepAlarm(EarlierAlarm alarm) {
  earlierAlarm_ = std::move(alarm);
  if (policy_ != OnAlarm::stop)
    session_.skipVerdict();
}

void Inspection::takeVerdict(const outfeed::Verdict &verdict) {
  asksToStop_ = policy_ == OnAlarm::stop;
  const HealthRecord record = recordOf(verdict);
  for (const std::string &line : verdictLines(record))
    report_.note(line);
  if (onAlarm_)
    onAlarm_(record);
}

void Inspection::takeChange(const outfeed::ControlNote &note) {
  report_.note("update " + std::to_string(note.update.value()) + ": " +
               note.text);
  if (note.isIntervention && onAlarm_)
    onAlarm_(recordOf(session_.verdict()));
}

void Inspection::repeat(const std::vector<outfeed::Intervention> &earlier) {
  if (earlier.empty())
    return;
  try {
    if (session_.control()) {
      session_.control()->repeat(earlier);
      return;
    }
    outfeed::Interventions().repeat(earlier, firstUpdate_); // all are over
    earlierInterventions_ = earlier;
  } catch (const std::invalid_argument &error) {
    throw BadInput(withoutRoom(error.what()));
  }
}

void Inspection::takeFiring(const outfeed::Firing &firing) {
  if (fired_.insert(firing.tap.rule).second)
    report_.note(outfeed::lineOf(firing));
}

HealthRecord
Inspection::recordOf(std::optional<outfeed::Verdict> verdict) const {
  HealthRecord record;
  record.isWatched = isHealthWatched_;
  const outfeed::TapPlan &watched = session_.plan();
  record.tensors =
      watched.alarms().size() +
      std::size_t(std::count_if(watched.taps().begin(), watched.taps().end(),
                                outfeed::TapPlan::tellsHealth));
  record.verdict = std::move(verdict);
  record.earlier = earlierAlarm_;
  if (dump_)
    record.dump = dump_->line();
  record.findings = checks_.findings();
  record.interventions = earlierInterventions_.empty()
                             ? session_.interventions()
                             : earlierInterventions_;
  for (outfeed::Intervention &intervention : record.interventions)
    if (!(intervention.last < outfeed::Update(updates_)))
      intervention.last = outfeed::Update(updates_ - 1);
  return record;
}

HealthRecord Inspection::health() const { return recordOf(session_.verdict()); }

void Inspection::onAlarm(std::function<void(const HealthRecord &)> listener) {
  onAlarm_ = std::move(listener);
  checks_.onFinding([this] { onAlarm_(recordOf(session_.verdict())); });
}

void Inspection::requireIntended() const {
  const std::vector<outfeed::TensorTraits> &tensors = session_.plan().tensors();
  std::vector<std::string> names;
  for (const outfeed::TensorTraits &tensor : tensors)
    names.push_back(tensor.name);
  for (const outfeed::TensorFilter &filter : infinitiesIntended_)
    if (std::none_of(tensors.begin(), tensors.end(),
                     [&filter](const outfeed::TensorTraits &tensor) {
                       return filter.matches(tensor);
                     }))
      throw BadInput("--infinities-intended: no tensor matches '" +
                     filter.text() + "'; the nearest are " +
                     text::nearestNames(filter.text(), names));
}

void Inspection::connect(poplar::Engine &engine) {
  requireIntended();
  try {
    session_.connect(engine);
    if (isFirst_)
      checks_.connect(session_.plan(), session_.control());
  } catch (const std::invalid_argument &error) {
    throw BadInput(withoutRoom(error.what()));
  }
}

std::vector<std::string> Inspection::withoutEffect() const {
  std::vector<std::string> lines = unmatchedTaps(preset_, session_.plan());
  for (std::string &line : session_.plan().neverDue(updates_))
    lines.push_back(std::move(line));
  for (const outfeed::Injection &fault : faults_)
    if (!(fault.update < outfeed::Update(updates_)))
      lines.push_back("--inject: '" + fault.text +
                      "' is never due; there are " + std::to_string(updates_) +
                      " updates, counted from 0");
  return lines;
}

void Inspection::executionEnd(poplar::Engine &engine) {
  session_.exchange();
  // Whether it stops here must not depend on how far the reading thread is.
  if (policy_ == OnAlarm::stop || checks_.mayStop())
    session_.sync();
  if (!session_.program().rings().empty() &&
      instances_.ofFirst(session_.hasRecordedEvent(), "recorder"))
    session_.collectRecorded(engine);
}

void Inspection::resumeAt(
    poplar::Engine &engine, outfeed::Update update,
    const std::vector<outfeed::EpochTable::SavedRow> &table) {
  firstUpdate_ = update;
  session_.resumeAt(engine, update);
  cost_.resumeAt(update);
  if (isFirst_)
    checks_.resumeAt(runDirectory_, update);
  if (epochTable_)
    epochTable_->restore(session_.plan().taps(), table);
}

std::vector<outfeed::EpochTable::SavedRow> Inspection::epochSoFar() {
  session_.sync();
  return epochTable_ ? epochTable_->save()
                     : std::vector<outfeed::EpochTable::SavedRow>();
}

void Inspection::epochEnd(Epoch epoch, std::ostream &out) {
  session_.sync();
  reportLoss("frames from the device", session_.report().error);
  if (epochTable_ && epoch.index() >= firstTable_)
    epochTable_->print(out, epoch.number(),
                       text::columnsOfStream(STDOUT_FILENO));
  else if (epochTable_)
    epochTable_->clear();
}

std::vector<std::string> Inspection::watchLines(text::TerminalSize size) const {
  if (!watchTable_)
    return {};
  constexpr std::size_t kOtherRows = 2; // the bar, and one to see what is above
  size.rows -= std::min(size.rows, kOtherRows);
  // The last column stays free: a line that wraps could not be wiped.
  size.columns -= std::min<std::size_t>(size.columns, 1);
  return watchTable_->lines(size);
}

void Inspection::listen(const std::string &runDirectory) {
  try {
    session_.listen(runDirectory);
  } catch (const std::runtime_error &error) {
    report_.note("popscope control cannot reach this training: " +
                 withoutRoom(error.what()));
  }
}

void Inspection::finish(std::ostream &out, std::size_t columns) {
  const outfeed::TapReport taps = session_.close();
  if (watchTable_)
    watchTable_->print(out, columns);
  if (isFirst_)
    checks_.finish(runDirectory_);
  if (taps.dropped != 0)
    report_.note("inspection dropped " + std::to_string(taps.dropped) + " of " +
                 std::to_string(taps.frames) + " frames");
  if (taps.late != 0)
    reportLoss("samples", "replicas were too far behind", taps.late);
  for (const summary::WriteReport &loss : taps.losses)
    report_.update(loss, StepsAre::updates);
  reportLoss("frames from the device", taps.error);
}

void Inspection::reportLoss(const char *what, const std::string &error,
                            std::uint64_t records) {
  if (error.empty())
    return;
  summary::WriteReport report;
  report.what = what;
  report.error = error;
  report.lostRecords = records;
  report_.update(report, StepsAre::updates);
}

} // namespace popscope::host
