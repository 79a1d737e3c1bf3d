// What was seen of each tensor in an epoch, in a table like the one that
// Graphcore's tutorial on inspecting tensors prints.
#pragma once

#include "outfeed/sinks/sample_sink.hpp"

#include <deque>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace popscope::outfeed {

enum class TableNumbers {
  // As the tutorial prints them, with its headings. What is not finite spreads
  // over the statistics, as in NumPy.
  sixDecimals,
  // Significant ones. Statistics are those of outfeed/sinks/statistic.hpp.
  sixDigits
};

// Statistics are folded as they arrive; the data are never held. What is not a
// SampleSink's function is for between runs, after TapSession::sync.
class EpochTable : public SampleSink {
public:
  struct Queue {
    std::string title;
    std::function<bool(const TensorTraits &)> holds;
  };
  explicit EpochTable(std::vector<Queue> queues,
                      TableNumbers numbers = TableNumbers::sixDecimals);

  void take(const Tap &tap, Update update, const TensorSample &sample) override;

  // Each queue's title, the shapes with the number of samples in front, and the
  // statistics of the epoch, counted from 1; then starts the next epoch.
  void print(std::ostream &out, unsigned epoch);
  // Starts the next epoch without printing.
  void clear() { rows_.clear(); }

  // What is known of one tensor, for a checkpoint in the middle of an epoch:
  // enough to print, not the whole sample.
  struct SavedRow {
    std::string tensor; // name and moment
    std::vector<double> numbers;
  };
  std::vector<SavedRow> save() const;
  // Goes on with the epoch of an earlier start, before the first sample.
  // `taps` outlive the table; rows of other tensors are left out.
  void restore(const std::deque<Tap> &taps, const std::vector<SavedRow> &saved);

private:
  struct Row {
    const Tap *tap;
    TensorSample sample;
  };
  void printQueue(std::ostream &out, const Queue &queue, unsigned epoch) const;

  const std::vector<Queue> queues_;
  const TableNumbers numbers_;
  std::vector<Row> rows_; // in the order of the program
};

} // namespace popscope::outfeed
