// Text that grows by whole lines, for readers who follow it live: CSV, JSON.
#pragma once

#include "summary/records/growing_file.hpp"
#include "summary/types.hpp"
#include "summary/write_report.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace popscope::summary {

// Writes in place. A GrowingFile of lines: a failure neither throws nor ends
// the writing, and report() counts each line that is not in the file.
class LineWriter {
public:
  enum class Existing { replace, append };
  struct Options {
    std::string heading; // the first line; empty: none
    WriteListener onLoss;
    Clock clock = systemTime;
  };
  LineWriter(const std::filesystem::path &file, Existing existing,
             const Options &options);
  LineWriter(const std::filesystem::path &file, Existing existing)
      : LineWriter(file, existing, Options()) {}
  // Appends to the lines for which `keep` is true; see keepLines.
  using Keep = std::function<bool(const std::string &line)>;
  LineWriter(const std::filesystem::path &file, const Keep &keep,
             const Options &options);
  LineWriter(const std::filesystem::path &file, const Keep &keep)
      : LineWriter(file, keep, Options()) {}
  // A stream that stays open, such as standard output; `what` is its name in
  // the report. SIGPIPE has to be ignored.
  LineWriter(int descriptor, std::string what, WriteListener onLoss = {});

  // A line without its end. It reaches the file with the next flush, or when
  // 64 KiB have gathered. `step` is for the report.
  void append(Step step, std::string_view line);
  void flush() { file_.flush(); }
  // What comes later is lost. The destructor closes, too.
  void close() { file_.close(); }

  WriteReport report() const { return file_.report(); }

private:
  GrowingFile file_;
};

// Removes the lines of a file for which `keep` is false, and a last line
// without an end. Writes the others into a new file that then takes the place
// of the old one; a file that needs no change is left alone. Throws
// std::runtime_error, and leaves the file as it was, if that fails.
void keepLines(const std::filesystem::path &file, const LineWriter::Keep &keep);

} // namespace popscope::summary
