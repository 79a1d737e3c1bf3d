// Reads event files from end to end, damage included, and shows its progress.
#pragma once

#include "host/events/reading/file_state.hpp"
#include "host/events/reading/run_index.hpp"
#include "host/events/reading/selection.hpp"
#include "host/terminal/progress.hpp"
#include "summary/reading/event_reader.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <vector>

namespace popscope::host::events {

class FileWalk {
public:
  // How many threads read a file at once. The result does not depend on it.
  struct Threads {
    std::size_t most = 0;        // 0: as many as the machine has, up to four
    std::uint64_t bytesEach = 0; // no thread gets less than this
  };
  static constexpr Threads kDefaultThreads{0, std::uint64_t(16) << 20};

  // Draws its progress on standard error if that is a terminal and there is
  // enough to read for someone to wait for it.
  explicit FileWalk(const std::vector<LogRun> &runs,
                    const Threads &threads = kDefaultThreads);
  ~FileWalk() { progress_.clear(); }
  FileWalk(const FileWalk &) = delete;
  FileWalk &operator=(const FileWalk &) = delete;

  // Calls `visit` with every whole event, including those after damage, on the
  // calling thread. The reader's payload() is the event's record. If the file
  // cannot be read, the state says so.
  using Visit = std::function<void(const summary::EventView &,
                                   const summary::EventReader &)>;
  FileState walk(const std::filesystem::path &file, const Visit &visit);

  // Adds every whole event to the index. Several threads read a large file.
  FileState index(const std::filesystem::path &file, RunIndex &index);

private:
  struct Part;

  std::size_t partsOf(std::uint64_t bytes) const;
  Part indexPart(const std::filesystem::path &file, std::uint64_t begin,
                 std::uint64_t limit);
  Part await(std::future<Part> &part);
  void showProgress(std::uint64_t done);

  const Threads threads_;
  const std::uint64_t total_; // bytes of all files
  // Bytes that have been read, a few thousand records late.
  std::atomic<std::uint64_t> done_{0};
  Progress progress_;
};

} // namespace popscope::host::events
