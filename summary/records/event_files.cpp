#include "summary/records/event_files.hpp"

#include <algorithm>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <system_error>
#include <unistd.h>

namespace popscope::summary {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMark = "tfevents";
constexpr std::string_view kStart = "events.out.tfevents.";

bool isRegularFile(const fs::directory_entry &entry) {
  std::error_code ignored; // a dangling link is not an event file
  return entry.is_regular_file(ignored);
}

void collectRuns(const fs::path &directory, const fs::path &root,
                 std::set<fs::path> &ancestors,
                 std::vector<RunDirectory> &runs) {
  const fs::path real = fs::canonical(directory);
  if (!ancestors.insert(real).second)
    return;
  bool isRun = false;
  for (const auto &entry : fs::directory_iterator(directory)) {
    std::error_code ignored; // it may have been removed since
    if (entry.is_directory(ignored))
      collectRuns(entry.path(), root, ancestors, runs);
    else if (isEventFileName(entry.path().filename().string()))
      isRun = isRun || isRegularFile(entry);
  }
  if (isRun)
    runs.push_back(
        {directory.lexically_relative(root).generic_string(), directory});
  ancestors.erase(real);
}

} // namespace

bool isEventFileName(std::string_view name) {
  return name.find(kMark) != std::string_view::npos;
}

bool isWrittenEventFileName(std::string_view name) {
  const std::size_t start = name.rfind(kStart);
  if (start == std::string_view::npos)
    return false;
  name.remove_prefix(start + kStart.size());
  const std::size_t digits =
      std::min(name.find_first_not_of("0123456789"), name.size());
  return digits != 0 && name.size() > digits + 1 && name[digits] == '.';
}

std::vector<fs::path> eventFilesIn(const fs::path &directory) {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto &entry : fs::directory_iterator(directory, missing))
    if (isEventFileName(entry.path().filename().string()) &&
        isRegularFile(entry))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end(), [](const auto &a, const auto &b) {
    return a.filename().native() < b.filename().native();
  });
  return files;
}

std::vector<RunDirectory> findRuns(const fs::path &logDirectory) {
  std::vector<RunDirectory> runs;
  std::set<fs::path> ancestors;
  collectRuns(logDirectory, logDirectory, ancestors, runs);
  std::sort(runs.begin(), runs.end(),
            [](const auto &a, const auto &b) { return a.name < b.name; });
  return runs;
}

std::string hostName() {
  char name[HOST_NAME_MAX + 1] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0')
    return "localhost";
  return name;
}

std::string EventFileName::text() const {
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, "%010" PRId64 ".", seconds);
  std::string text = prefix + std::string(kStart) + numbers + host;
  std::snprintf(numbers, sizeof numbers, ".%" PRId64 ".%06" PRIu32, process,
                serial);
  return text + numbers + suffix;
}

EventFileName placeLast(EventFileName name, const fs::path &directory) {
  const auto files = eventFilesIn(directory);
  if (files.empty())
    return name;
  const std::string last = files.back().filename().string();
  if (name.text() > last)
    return name;
  EventFileName placed = name;
  const std::size_t at = last.rfind(kStart);
  if (at != std::string::npos) {
    constexpr long long kMost = 9'999'999'999; // of ten digits
    const long long seconds =
        std::strtoll(last.c_str() + at + kStart.size(), nullptr, 10);
    placed.prefix = last.substr(0, at);
    placed.seconds =
        std::max<std::int64_t>(name.seconds, std::min(seconds, kMost) + 1);
  }
  if (placed.text() > last)
    return placed;
  name.prefix = last + '.';
  return name;
}

} // namespace popscope::summary
