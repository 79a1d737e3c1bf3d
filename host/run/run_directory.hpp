// The directory of one run: made, cleaned or gone on with.
#pragma once

#include "summary/event_writer.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace popscope::host {

enum class ExistingRun {
  refuse, // what is there already is an error
  clean,  // is deleted, if all of it is the log of a run
  resume  // is gone on with
};

class RunDirectory {
public:
  // Throws BadInput if it cannot be made or written to, if it exists and may
  // not, or if it is to be cleaned and holds anything that is no part of a
  // PopScope or TensorBoard log; then nothing is deleted.
  RunDirectory(const std::filesystem::path &logDirectory,
               const std::string &run, ExistingRun existing);

  const std::filesystem::path &path() const { return path_; }
  std::filesystem::path checkpoint() const { return path_ / "checkpoint"; }

  // Epochs that were completed before this start.
  void setFirstEpoch(unsigned epoch) { firstEpoch_ = epoch; }
  unsigned firstEpoch() const { return firstEpoch_; }
  bool isResumed() const { return isResumed_; }

  // Writes <run>/<name>; what an earlier start wrote for epochs that come
  // again is hidden. `firstStep` is that of the points of epoch 0.
  std::unique_ptr<summary::EventWriter> writer(const std::string &name,
                                               unsigned firstStep = 0) const;

private:
  std::filesystem::path path_;
  bool isResumed_ = false;
  unsigned firstEpoch_ = 0;
};

// The name of a run that was given none: <prefix>-<date>-<time>, so that later
// runs sort last, and -2, -3 and so on if that is taken. The directory is made
// at once, for nobody else to take the name, and removed at the end if it is
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
