#include "host/run/newest_run.hpp"

#include "summary/records/event_files.hpp"

#include <algorithm>
#include <map>
#include <system_error>

namespace popscope::host {

namespace fs = std::filesystem;

std::optional<NewestRun> newestRun(const fs::path &logs) {
  std::map<fs::path, fs::file_time_type> changed; // by name in `logs`
  for (const summary::RunDirectory &run : summary::findRuns(logs)) {
    const fs::path name = *fs::path(run.name).begin();
    for (const fs::path &file : summary::eventFilesIn(run.path)) {
      std::error_code vanished;
      const auto time = fs::last_write_time(file, vanished);
      const auto [known, isNew] = changed.try_emplace(name, time);
      if (!vanished && !isNew)
        known->second = std::max(known->second, time);
    }
  }
  if (changed.empty())
    return std::nullopt;
  const auto newest = std::max_element(
      changed.begin(), changed.end(),
      [](const auto &a, const auto &b) { return a.second < b.second; });
  const bool isLogs = newest->first == ".";
  return NewestRun{isLogs ? logs : logs / newest->first, changed.size()};
}

} // namespace popscope::host
