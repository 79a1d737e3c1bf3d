// The directory of one run: made, cleaned or resumed.
#pragma once

#include "host/counts.hpp"
#include "host/run/run_lock.hpp"
#include "host/run/run_report.hpp"
#include "summary/event_writer.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

// What becomes of a run that is there already.
enum class ExistingRun {
  refuse, // its content is an error
  clean,  // its content is deleted, if all of it is the log of a run
  resume  // the run goes on
};

// Folders of a run: its last checkpoint, and the last one from before a tensor
// was not finite.
constexpr char kCheckpointFolder[] = "saved";
constexpr char kGoodCheckpointFolder[] = "saved_good";

// True for the files that a run writes into its directory, by their path in it.
bool isFileOfRun(const std::filesystem::path &relative);

// A run without a name of its own is called <prefix>-<date>-<time>, so that
// later runs sort last; -2, -3 and so on are appended if that name is taken.
struct UnnamedRun {
  std::string prefix;
};

// The directory is made and locked at once, so that nobody else takes the name
// or writes the run, and removed again at the end if it is still empty.
class RunDirectory {
public:
  // Throws BadInput if the directory cannot be made or written to, if it exists
  // and may not, if another process writes it, or if it is to be cleaned and
  // holds anything that is not part of a PopScope or TensorBoard log or is
  // still being written. Nothing is deleted before begin().
  // `report` outlives the writers.
  RunDirectory(const std::filesystem::path &logDirectory,
               const std::string &run, ExistingRun existing, RunReport &report);
  RunDirectory(const std::filesystem::path &logDirectory,
               const UnnamedRun &unnamed, RunReport &report);
  ~RunDirectory();
  RunDirectory(const RunDirectory &) = delete;
  RunDirectory &operator=(const RunDirectory &) = delete;

  // Deletes what an earlier run left, if it is to be cleaned, and what the last
  // start of a resumed run wrote about its end: call it when nothing can be
  // found wrong with the new run any more.
  void begin();

  const std::string &name() const { return name_; }
  // Those that this object made, the innermost first.
  const std::vector<std::filesystem::path> &made() const { return made_; }
  const std::filesystem::path &path() const { return path_; }
  // Where the checkpoint is. Not in checkpoint/: TensorFlow takes anything of
  // that name in a run for its own, and TensorBoard's projector then complains
  // whenever it looks. From begin() on it is in saved/; before, that of a run
  // of an older version may still be in checkpoint/.
  std::filesystem::path checkpoint() const;
  RunReport &report() const { return report_; }

  // The epoch in which this start begins.
  void setFirstEpoch(Epoch epoch) { firstEpoch_ = epoch; }
  Epoch firstEpoch() const { return firstEpoch_; }
  bool isResumed() const { return isResumed_; }

  // Writes <run>/<name>, and reports what it cannot write, that it cannot be
  // created included. Points that an earlier start wrote for epochs that come
  // again are hidden. `firstStep` is the step of the first epoch's points.
  // All who ask for a name while somebody has it get the same writer: a run
  // should have one event file that grows.
  std::shared_ptr<summary::EventWriter> writer(const std::string &name,
                                               unsigned firstStep = 0) const;

  // Writes <run> itself. Steps are updates; points that an earlier start wrote
  // from `firstUpdate` on are hidden.
  std::shared_ptr<summary::EventWriter> log(summary::Step firstUpdate) const;
  // The same for <run>/recorder.
  std::shared_ptr<summary::EventWriter>
  recorderLog(summary::Step firstUpdate) const;
  // A file after that of log(), which must be closed, for how this start ended:
  // it goes if the run is resumed, since TensorBoard believes the first end of
  // a run that it finds.
  std::unique_ptr<summary::EventWriter> endLog() const;

  // Hands everything that the writers have so far to the operating system. One
  // that cannot be written says so itself. From any thread.
  void flush() const;

private:
  void make(); // with its parents
  std::shared_ptr<summary::EventWriter>
  logNamed(const std::string &name, summary::Step firstUpdate) const;

  RunReport &report_;
  std::string name_;
  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_;
  std::optional<RunLock> lock_;
  bool cleans_ = false;
  bool isResumed_ = false;
  Epoch firstEpoch_{0};
  mutable std::mutex mutex_; // guards all below
  // By their names; that of log() has none.
  mutable std::map<std::string, std::weak_ptr<summary::EventWriter>> writers_;
};

} // namespace popscope::host
