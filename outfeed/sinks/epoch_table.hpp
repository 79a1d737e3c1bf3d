// What was seen of each tensor in an epoch, in a table.
#pragma once

#include "outfeed/sinks/sample_sink.hpp"

#include <deque>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace popscope::outfeed {

enum class TableForm {
  // As Graphcore's tutorial on inspecting tensors prints it, with its headings
  // and six decimals. What is not finite spreads over the statistics, as in
  // NumPy.
  tutorial,
  // Made for the terminal. Statistics are those of outfeed/sinks/statistic.hpp.
  fitted
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
                      TableForm form = TableForm::tutorial);

  void take(const Tap &tap, Update update, const TensorSample &sample) override;

  // Each queue's title, the shapes, the number of samples and the statistics of
  // the epoch, counted from 1; then starts the next epoch. `columns` are those
  // of the terminal.
  void print(std::ostream &out, unsigned epoch,
             std::size_t columns = std::string::npos);
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

  struct Row {
    const Tap *tap;
    TensorSample sample;
  };

private:
  const std::vector<Queue> queues_;
  const TableForm form_;
  std::vector<Row> rows_; // in the order of the program
};

} // namespace popscope::outfeed
