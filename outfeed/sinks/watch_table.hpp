// A table of the tensors as they are now, drawn over itself in a terminal.
#pragma once

#include "outfeed/sinks/sample_sink.hpp"
#include "text/terminal.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace popscope::outfeed {

enum class WatchStyle {
  live, // a terminal: redrawn several times a second, as much as fits
  plain // printed whenever all samples so far have been told
};

class WatchTable : public SampleSink {
public:
  // `out` outlives the table and is not written to by others while training.
  WatchTable(
      std::ostream &out, WatchStyle style,
      std::function<text::TerminalSize()> terminal = text::sizeOfTerminal);

  void take(const Tap &tap, Update update, const TensorSample &sample) override;
  void flush() override;
  // Leaves the whole table behind, however long, with its names folded if that
  // makes it fit.
  void close(const TapReport &report) override;

private:
  struct Row {
    const Tap *tap;
    Update update;
    summary::TensorStats stats;
    bool hasMoments;
  };
  std::vector<const Row *> rowsThatFit(std::size_t lines) const;
  std::string tableOf(const std::vector<const Row *> &rows,
                      std::size_t columns) const;
  void draw(bool isLast = false);

  std::ostream &out_;
  const WatchStyle style_;
  const std::function<text::TerminalSize()> terminal_;
  std::vector<Row> rows_; // in the order of the program
  std::size_t linesDrawn_ = 0;
  std::chrono::steady_clock::time_point lastDrawn_{};
};

} // namespace popscope::outfeed
