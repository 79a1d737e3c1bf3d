#include "host/events/printing/follow.hpp"

#include "host/command.hpp"
#include "host/terminal/interrupt.hpp"
#include "host/terminal/problem.hpp"
#include "summary/reading/event_reader.hpp"
#include "summary/records/event_files.hpp"

#include <csignal>
#include <ctime>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>
#include <system_error>

namespace popscope::host::events {

namespace fs = std::filesystem;

namespace {

constexpr long kNanosecondsBetweenLooks = 200'000'000;

// While one exists, SIGINT and SIGTERM wait until they are asked for, so that
// none of them ends the process in the middle of a line.
class HeldSignals {
public:
  HeldSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals_, &before_);
  }
  ~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals &) = delete;
  HeldSignals &operator=(const HeldSignals &) = delete;

  // Waits for one; false if none came in that time.
  bool came(long nanoseconds) const {
    const timespec time{0, nanoseconds};
    return sigtimedwait(&signals_, nullptr, &time) > 0;
  }

private:
  sigset_t signals_;
  sigset_t before_;
};

// The runs that are there by now.
std::vector<LogRun> runsAt(const fs::path &path) {
  std::error_code error;
  if (!fs::exists(path, error))
    return {};
  requireLog(path);
  if (!fs::is_directory(path, error))
    return {{".", {path}}};
  try {
    std::vector<LogRun> runs;
    for (const summary::RunDirectory &run : summary::findRuns(path))
      runs.push_back({run.name, summary::eventFilesIn(run.path)});
    return runs;
  } catch (const std::system_error &failure) {
    if (failure.code() == std::errc::no_such_file_or_directory)
      return {}; // removed meanwhile
    throw BadInput(path.string() + ": " + failure.code().message());
  }
}

class Follower {
public:
  Follower(const CatOptions &options, const HeldSignals &signals)
      : options_(options), signals_(signals), lines_(options) {}

  // Prints what was written since the last look. False if a signal came.
  [[nodiscard]] bool look() {
    for (const fs::path &path : options_.log.paths) {
      const std::vector<LogRun> runs = runsAt(path);
      if (runs.empty() && waitedFor_.insert(path).second)
        printProblem(path.string() + ": no event files yet; waiting for them");
      for (const LogRun &run : runs) {
        const std::string name = options_.log.nameOf(path, run.name);
        if (!options_.log.runs.match(name))
          continue;
        for (const fs::path &file : run.files)
          if (!read(name, file))
            return false;
      }
    }
    lines_.finish();
    std::cout.flush();
    if (!std::cout)
      throw std::runtime_error("standard output cannot be written");
    return true;
  }

private:
  bool read(const std::string &run, const fs::path &file) try {
    constexpr unsigned kEventsBetweenSignals = 1000;
    std::uint64_t &offset = offsets_[file]; // of the record to read next
    const std::uint64_t size = bytesOf(file);
    if (size < offset)
      offset = 0; // another file of the same name
    if (size == offset)
      return true;
    summary::EventReader reader(file, offset);
    for (unsigned events = 0;; ++events) {
      if (events % kEventsBetweenSignals == 0 && signals_.came(0))
        return false;
      if (const auto event = reader.next()) {
        lines_.add(run, *event);
      } else if (reader.state() == summary::ReadState::damaged) {
        printProblem(file.string() + ": " + summary::describe(reader.damage()));
        reader.resync();
      } else {
        break;
      }
    }
    offset = reader.records().nextOffset();
    return true;
  } catch (const std::system_error &failure) {
    if (unreadable_.insert(file).second)
      printProblem(file.string() +
                   ": cannot be read: " + failure.code().message());
    return true;
  }

  const CatOptions &options_;
  const HeldSignals &signals_;
  ValueLines lines_;
  std::map<fs::path, std::uint64_t> offsets_;
  std::set<fs::path> waitedFor_;
  std::set<fs::path> unreadable_; // reported
};

} // namespace

int follow(const CatOptions &options) {
  const HeldSignals signals;
  Follower follower(options, signals);
  while (follower.look())
    if (signals.came(kNanosecondsBetweenLooks))
      break;
  return kExitInterrupted;
}

} // namespace popscope::host::events
