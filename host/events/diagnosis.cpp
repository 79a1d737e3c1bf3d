#include "host/events/diagnosis.hpp"

#include "host/command.hpp"
#include "host/events/reading/file_walk.hpp"
#include "host/events/reading/run_index.hpp"
#include "summary/proto/event.pb.h"
#include "summary/proto/tensor.pb.h"
#include "summary/reading/decoded_value.hpp"
#include "summary/reading/event_reader.hpp"
#include "summary/records/event_files.hpp"
#include "text/number_text.hpp"

#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace popscope::host::events {

namespace {

namespace fs = std::filesystem;
using summary::EventKind;
using summary::EventView;
using summary::ValueView;

// Whether both of TensorBoard's loaders show it as a scalar: the default one
// drops tensors that are not of type float and rank zero.
bool isPortableScalar(const ValueView &value) {
  if (value.form == ValueView::Form::simpleValue)
    return true;
  summary::proto::TensorProto tensor;
  return value.form == ValueView::Form::tensor &&
         tensor.ParseFromArray(value.content.data(),
                               static_cast<int>(value.content.size())) &&
         tensor.dtype() == summary::proto::DT_FLOAT &&
         tensor.tensor_shape().dim_size() == 0 &&
         summary::decodeScalar(value).has_value();
}

bool holdsAnEvent(const fs::path &file) {
  try {
    return summary::EventReader(file).next().has_value();
  } catch (const std::system_error &) {
    return false; // nobody knows
  }
}

// A hint about the origin of a file that does not begin with a record.
std::string natureOf(const fs::path &file) {
  std::string start(12, '\xff');
  std::ifstream(file, std::ios::binary).read(start.data(), 12);
  if (start.compare(0, 2, "\x1f\x8b") == 0)
    return "; it is compressed with gzip, which TensorBoard does not read";
  if (start == std::string(12, '\0'))
    return "; it begins with zeros, as space reserved before writing does";
  return "";
}

// The step at which a restarted program continues, if the event says so: later
// points replace those of the earlier start from that step on.
std::optional<std::int64_t> restartOf(const EventView &event) {
  summary::proto::SessionLog log;
  if (event.kind != EventKind::sessionLog ||
      !log.ParseFromArray(event.content.data(),
                          static_cast<int>(event.content.size())) ||
      log.status() != summary::proto::SessionLog::START)
    return std::nullopt;
  return event.step;
}

bool isPluginOfTensorBoard(const std::string &name) {
  static const std::set<std::string> plugins = {"scalars",
                                                "histograms",
                                                "images",
                                                "audio",
                                                "text",
                                                "pr_curves",
                                                "hparams",
                                                "custom_scalars",
                                                "mesh",
                                                "graph_keras_model",
                                                "graph_run_metadata",
                                                "graph_run_metadata_graph"};
  return plugins.count(name) != 0;
}

// What only the values of a tag show.
struct TagHealth {
  std::uint64_t otherKind = 0;  // values of another kind than the first
  std::uint64_t unportable = 0; // scalars of a type the fast loader drops
  std::uint64_t finite = 0;     // scalars
  // Steps that go back or repeat, except the first one after a restart.
  std::uint64_t back = 0;
  std::uint64_t repeated = 0;
  std::optional<std::int64_t> lastStep;
  std::size_t restarts = 0; // of the run before the last value
};

class RunDoctor {
public:
  RunDoctor(const LogRun &run, Diagnosis &diagnosis)
      : run_(run), diagnosis_(diagnosis) {}

  void examine(FileWalk &walk) {
    for (const fs::path &path : run_.files) {
      if (!summary::isEventFileName(path.filename().string()))
        say(path.string(), "its name does not contain \"tfevents\", so "
                           "TensorBoard does not read it");
      bool isFirst = true;
      const FileState file =
          walk.walk(path, [&](const EventView &event, const auto &) {
            if (std::exchange(isFirst, false))
              examineFirst(path, event);
            examineEvent(event);
          });
      examineFile(file);
    }
    examineTags();
    diagnosis_.tags += index_.tags().size();
  }

private:
  void say(std::string where, std::string what) {
    diagnosis_.findings.push_back({std::move(where), std::move(what)});
  }

  void examineFirst(const fs::path &path, const EventView &event) {
    if (event.kind != EventKind::fileVersion)
      say(path.string(), "its first record is a " +
                             std::string(summary::nameOf(event.kind)) +
                             " instead of a file version; TensorBoard then "
                             "takes a step that goes back for a restart and "
                             "drops points");
    else if (event.content != "brain.Event:2")
      say(path.string(), "its file version is " + std::string(event.content) +
                             " and not brain.Event:2");
  }

  void examineEvent(const EventView &event) {
    index_.add(event);
    if (const auto step = restartOf(event)) {
      ++restarts_;
      restartStep_ = *step;
    }
    summary::ValueCursor values(event);
    while (const auto value = values.next()) {
      const TagSeries &series = index_.seriesOf(*value);
      TagHealth &health = health_[series.tag];
      examineStep(event.step, health);
      if (pluginOf(value->form, series.kind) != series.kind) {
        ++health.otherKind;
        continue;
      }
      if (series.kind != "scalars")
        continue;
      health.unportable += !isPortableScalar(*value);
      const auto scalar = summary::decodeScalar(*value);
      health.finite += scalar && std::isfinite(*scalar);
    }
  }

  void examineStep(std::int64_t step, TagHealth &health) const {
    const bool isRestart = health.restarts != restarts_ && step >= restartStep_;
    if (health.lastStep && !isRestart) {
      health.back += step < *health.lastStep;
      health.repeated += step == *health.lastStep;
    }
    health.lastStep = step;
    health.restarts = restarts_;
  }

  // The default loader looks at a payload's CRC only if it cannot parse it.
  static std::string fateOf(const FileState &file) {
    const std::string records =
        text::counted(file.recordsBeforeDamage, "record");
    if (file.gaps.front().damage.kind == summary::Damage::Kind::dataCrc)
      return "TensorBoard's Python loader reads " + records +
             " and stops there; the default one may show wrong values";
    return "TensorBoard reads " + records + " and stops there";
  }

  void examineFile(const FileState &file) {
    const std::string where = file.path.string();
    if (!file.unreadable.empty())
      say(where, describe(file) + "; TensorBoard cannot read it either if it "
                                  "runs as the same user");
    else if (file.bytes == 0)
      say(where, "is empty: nothing has been written or flushed yet");
    else if (file.isDamaged())
      say(where, summary::describe(file.gaps.front().damage) +
                     (file.recordsBeforeDamage == 0 ? natureOf(file.path)
                                                    : std::string()) +
                     "; " + fateOf(file) + ", popscope events repair saves " +
                     std::to_string(file.records));
    else if (file.records == 0)
      say(where, "holds no whole record: " + describe(file));
    else if (file.tornBytes != 0)
      say(where, describe(file) +
                     "; TensorBoard waits for the rest and shows what is "
                     "before");
  }

  void examineTags() {
    if (index_.badTimes() != 0)
      say("run " + run_.name,
          text::counted(index_.badTimes(), "event") +
              " with a time that is not finite: TensorBoard's default loader "
              "abandons the file there");
    if (index_.badSummaries() != 0)
      say("run " + run_.name,
          text::counted(index_.badSummaries(), "summary event") +
              " that cannot be parsed to the end");
    if (index_.tags().empty() && index_.events(EventKind::graphDef) == 0 &&
        index_.events(EventKind::taggedRunMetadata) == 0)
      say("run " + run_.name, "holds no values and no graph");
    for (const TagSeries &tag : index_.tags())
      examineTag(tag, health_[tag.tag]);
  }

  void examineTag(const TagSeries &tag, const TagHealth &health) {
    const std::string where = "run " + run_.name + ", tag " + tag.tag;
    if (tag.kind == "none")
      say(where, "its first value names no plugin in its metadata, so no page "
                 "shows it");
    else if (!isPluginOfTensorBoard(tag.kind))
      say(where, "is for the plugin " + tag.kind +
                     ", which does not come with TensorBoard");
    if (health.otherKind != 0)
      say(where, text::counted(health.otherKind, "value") +
                     " not of the kind of the first one, which is " + tag.kind +
                     ": TensorBoard shows none of them, or none at all");
    if (health.unportable != 0)
      say(where, text::counted(health.unportable, "scalar") +
                     " not of type float and rank 0: the default loader drops "
                     "them");
    if (tag.kind == "scalars" && health.finite == 0)
      say(where, "none of its values is a finite number, so the chart has no "
                 "line");
    const TagCounts &counts = tag.counts;
    if (counts.values() > 1 && counts.minStep() == counts.maxStep())
      say(where, "all " + text::counted(counts.values(), "value") +
                     " have step " + std::to_string(counts.minStep()) +
                     ": the default loader keeps the last one only");
    else if (health.back + health.repeated != 0)
      say(where, "steps go back " + text::counted(health.back, "time") +
                     " and repeat " + text::counted(health.repeated, "time") +
                     ": the default loader drops the earlier points at "
                     "the same or higher steps");
  }

  const LogRun &run_;
  Diagnosis &diagnosis_;
  RunIndex index_;
  std::map<std::string, TagHealth> health_;
  std::size_t restarts_ = 0;
  std::int64_t restartStep_ = 0; // of the last one
};

// Event files that TensorBoard does not read because of their names.
void findMisnamed(const fs::path &directory, Diagnosis &diagnosis) {
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(directory, error);
       !error && entry != fs::recursive_directory_iterator();
       entry.increment(error))
    if (entry->is_regular_file(error) &&
        !summary::isEventFileName(entry->path().filename().string()) &&
        holdsAnEvent(entry->path()))
      diagnosis.findings.push_back(
          {entry->path().string(),
           "holds events, but its name does not contain \"tfevents\", so "
           "TensorBoard does not read it"});
}

} // namespace

Diagnosis diagnose(const LogSelection &log) {
  Diagnosis diagnosis;
  LogSelection filled = log; // without the directories that hold no run
  filled.paths.clear();
  for (const fs::path &path : log.paths) {
    const bool isDirectory = fs::is_directory(path);
    if (isDirectory)
      findMisnamed(path, diagnosis);
    if (isDirectory && log.runs.empty() && runsIn(path).empty())
      diagnosis.findings.push_back(
          {path.string(),
           "no event files (their names contain \"tfevents\") at or below this "
           "directory"});
    else
      filled.paths.push_back(path);
  }
  if (filled.paths.empty())
    return diagnosis;
  const std::vector<LogRun> runs = filled.findRuns();
  FileWalk walk(runs);
  for (const LogRun &run : runs)
    RunDoctor(run, diagnosis).examine(walk);
  diagnosis.runs = runs.size();
  return diagnosis;
}

} // namespace popscope::host::events
