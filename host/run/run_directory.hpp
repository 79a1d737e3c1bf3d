// The directory of one run: made, cleaned or continued.
#pragma once

#include "host/run/run_report.hpp"
#include "summary/event_writer.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace popscope::host {

// What becomes of a run that is there already.
enum class ExistingRun {
  refuse, // it is an error
  clean,  // it is deleted, if all of it is the log of a run
  resume  // it is continued
};

// True for the files that a run writes into its directory, by their path in it.
bool isFileOfRun(const std::filesystem::path &relative);

class RunDirectory {
public:
  // Throws BadInput if it cannot be made or written to, if it exists and may
  // not, or if it is to be cleaned and holds anything that is not part of a
  // PopScope or TensorBoard log; then nothing is deleted. `report` outlives
  // the writers.
  RunDirectory(const std::filesystem::path &logDirectory,
               const std::string &run, ExistingRun existing, RunReport &report);

  const std::filesystem::path &path() const { return path_; }
  std::filesystem::path checkpoint() const { return path_ / "checkpoint"; }
  RunReport &report() const { return report_; }

  // Epochs that were completed before this start.
  void setFirstEpoch(unsigned epoch) { firstEpoch_ = epoch; }
  unsigned firstEpoch() const { return firstEpoch_; }
  bool isResumed() const { return isResumed_; }

  // Writes <run>/<name>, and reports what it cannot write, that it cannot be
  // created included. Points that an earlier start wrote for epochs that come
  // again are hidden. `firstStep` is the step of the first epoch's points.
  std::unique_ptr<summary::EventWriter> writer(const std::string &name,
                                               unsigned firstStep = 0) const;

private:
  RunReport &report_;
  std::filesystem::path path_;
  bool isResumed_ = false;
  unsigned firstEpoch_ = 0;
};

// A name for a run without one: <prefix>-<date>-<time>, so that later runs sort
// last, followed by -2, -3 and so on if that is taken. The directory is made at
// once, so that nobody else takes the name, and removed at the end if it is
// empty.
class UnnamedRun {
public:
  // Throws BadInput if no directory can be made there.
  UnnamedRun(const std::filesystem::path &logDirectory,
             const std::string &prefix);
  ~UnnamedRun();
  UnnamedRun(const UnnamedRun &) = delete;
  UnnamedRun &operator=(const UnnamedRun &) = delete;

  const std::string &name() const { return name_; }

private:
  const std::filesystem::path logDirectory_;
  bool isLogDirectoryNew_ = false;
  std::string name_;
};

} // namespace popscope::host
