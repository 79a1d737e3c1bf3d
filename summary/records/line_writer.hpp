// Text that grows by whole lines, for readers who follow it live: CSV, JSON.
#pragma once

#include "summary/records/byte_sink.hpp"
#include "summary/types.hpp"
#include "summary/write_report.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::summary {

// Writes in place, what is flushed together in one write. Nothing throws: the
// first failure, that of opening included, ends the writing, and report()
// counts each line that is not in the file. A file that fills the disk is cut
// back to its last whole line. Used by one thread at a time.
class LineWriter {
public:
  enum class Existing { replace, append };
  LineWriter(const std::filesystem::path &file, Existing existing);
  // Appends to the lines for which `keep` is true; see keepLines.
  using Keep = std::function<bool(const std::string &line)>;
  LineWriter(const std::filesystem::path &file, const Keep &keep);
  // A stream that stays open, such as standard output; `what` is its name in
  // the report. SIGPIPE has to be ignored.
  LineWriter(int descriptor, std::string what);
  ~LineWriter(); // flushes
  LineWriter(const LineWriter &) = delete;
  LineWriter &operator=(const LineWriter &) = delete;

  // A line without its end. It reaches the file with the next flush, or when
  // 64 KiB have gathered. `step` is for the report.
  void append(Step step, std::string_view line);
  void flush();

  const WriteReport &report() const { return report_; }

private:
  struct Line {
    Step step;
    std::size_t end; // its place in the pending bytes
  };

  void open(const std::filesystem::path &file, Existing existing);
  void writePending();
  // All pending lines but those of the first `written` bytes are lost.
  void fail(SinkError error, std::size_t written);

  int descriptor_ = -1; // until the first failure
  bool isFile_ = false; // opened here, and a regular file
  std::string pending_;
  std::vector<Line> lines_; // the pending ones
  WriteReport report_;
};

// Removes the lines of a file for which `keep` is false, and a last line
// without an end. Writes the others into a new file that then takes the place
// of the old one; a file that needs no change is left alone. Throws
// std::runtime_error, and leaves the file as it was, if that fails.
void keepLines(const std::filesystem::path &file, const LineWriter::Keep &keep);

} // namespace popscope::summary
