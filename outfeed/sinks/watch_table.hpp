// A table of the tensors as they were last seen, for a terminal or the end of a
// run.
#pragma once

#include "outfeed/sinks/sample_sink.hpp"
#include "text/terminal.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace popscope::outfeed {

// Statistics are those of outfeed/sinks/statistic.hpp. Columns in which no
// tensor has anything are left out, and so are the less important ones where
// the terminal is too narrow for all. lines() and print() may be called from
// any thread at any time: unlike other sinks this one is looked at while the
// program runs, so it has a lock.
class WatchTable : public SampleSink {
public:
  void take(const Tap &tap, Update update, const TensorSample &sample) override;

  // No more than fits: tensors with elements that are not finite go first, then
  // those that come first in the program. Empty before the first sample.
  std::vector<std::string> lines(const text::TerminalSize &size) const;
  // An empty line, then all tensors, in lines of at most `columns` if that is
  // possible. Nothing before the first sample.
  void print(std::ostream &out, std::size_t columns) const;

private:
  struct Row {
    const Tap *tap;
    Update update;
    std::uint64_t notFinite, firstBad;
    std::vector<std::optional<double>> values; // of kColumns
  };
  using Key = std::tuple<TapId, unsigned, unsigned>; // replica, micro-batch
  struct Column;

  std::vector<const Row *> rowsThatFit(std::size_t count) const;
  static std::vector<Column> columnsOf(const std::vector<const Row *> &rows);

  mutable std::mutex mutex_;
  std::map<Key, Row> rows_; // in the order of the program
};

} // namespace popscope::outfeed
