// A file that grows by whole units: lines, records. It survives a disk that is
// full for a while.
#pragma once

#include "summary/records/byte_sink.hpp"
#include "summary/types.hpp"
#include "summary/write_report.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::summary {

struct GrowingFileOptions {
  bool replaces = false; // a file that is there
  // Called before the file is opened first, and again until it does not throw.
  std::function<void()> prepare;
  // The bytes with which an empty file begins; absent: none.
  std::function<std::string()> heading;
  // Told of each failure at once.
  WriteListener onLoss;
  Clock clock = systemTime;
};

// Written in place, what is flushed together in one write. Nothing throws.
//
// After a failure, that of opening included, the file is cut back to its last
// whole unit. Units gather in memory, up to 128 KiB, and the file is tried
// again every second and at the end; it goes on with what has gathered. A file
// that was removed begins anew. report() counts what is not in the file: what
// did not fit, and what has gathered as long as the failure lasts. A pipe or a
// device stays failed. Used by one thread at a time.
class GrowingFile {
public:
  GrowingFile(std::filesystem::path file, GrowingFileOptions options);
  // A stream that stays open, such as standard output; `what` is its name in
  // the report. SIGPIPE has to be ignored.
  GrowingFile(int descriptor, std::string what, WriteListener onLoss = {});
  ~GrowingFile(); // closes
  GrowingFile(const GrowingFile &) = delete;
  GrowingFile &operator=(const GrowingFile &) = delete;

  // It reaches the file with the next flush, or when 64 KiB have gathered.
  // False if it is lost. `step` and `records` are for the report; a unit of no
  // record has no step.
  bool append(Step step, std::string_view unit, std::uint64_t records = 1);
  void flush();
  // The last chance for what has gathered; what is appended later is lost.
  void close();

  WriteReport report() const;

private:
  struct Unit {
    Step step;
    std::uint64_t records;
    std::size_t end; // its place in the pending bytes
  };
  struct Amount {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
    std::optional<Step> first{};

    Amount() = default;
    Amount(std::uint64_t records, std::uint64_t bytes, Step step);
    void add(const Amount &more);
  };

  bool hasFailed() const { return descriptor_ == -1; }
  void tryAgain();
  void tryAgainIfDue();
  void open(); // throws std::exception
  void writePending();
  Amount pendingAmount() const;
  void forget(); // the file is gone, and all that was put into it
  void fail(const std::string &why);

  const std::filesystem::path path_; // empty for a stream
  const GrowingFileOptions options_;
  int descriptor_ = -1; // while it has not failed
  bool isFile_ = false; // a regular one
  bool isBegun_ = false;
  bool isClosed_ = false;
  bool hasGoneOn_ = false;
  bool isTold_ = false;          // of the failure that lasts
  std::uint64_t wholeBytes_ = 0; // of the file
  double lastTry_ = 0;
  std::string pending_;
  std::vector<Unit> units_; // the pending ones
  Amount written_;          // by this start
  Amount lost_;
  std::string what_;
  std::string firstError_;
};

} // namespace popscope::summary
