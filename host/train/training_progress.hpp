// How far training has come: a line that is redrawn on a terminal, a line per
// epoch in a pipe.
#pragma once

#include "host/counts.hpp"
#include "host/metrics/metrics.hpp"
#include "host/terminal/live_block.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace popscope::host {

enum class TrainingProgressStyle {
  bar,   // a terminal: redrawn in place, and a line per epoch
  lines, // a pipe: a line per epoch
  silent
};

struct TrainingProgressOptions {
  TrainingProgressStyle style = TrainingProgressStyle::lines;
  unsigned epochs = 1;
  Batches batchesPerEpoch{1};
  std::size_t imagesPerBatch = 1;       // of all replicas
  std::function<std::size_t()> columns; // the terminal's, by default
  std::function<double()> now;          // seconds; a steady clock by default
  // Lines to draw above the bar, each shorter than the terminal is wide; called
  // whenever the bar is redrawn. None by default.
  std::function<std::vector<std::string>()> above;
};

class TrainingProgress {
public:
  TrainingProgress(std::ostream &out, TrainingProgressOptions options);

  // An earlier start may have trained on some of the epoch's batches.
  void epochBegin(Epoch epoch, Batches done = {});
  // Cheap enough to be called after every execution; `metrics` is called only
  // if the line is redrawn. `done` counts the epoch's batches.
  void executionEnd(Batches done, const std::function<MetricValues()> &metrics);
  // Prints the epoch's line. Its rate is that of training alone, without the
  // validation. On a terminal a training of very many epochs prints fewer
  // lines and says so once.
  void epochEnd(const MetricValues &training, const MetricValues &validation);

  // Wipes the redrawn lines so that ordinary output can follow.
  void clear();

private:
  std::string label() const;
  bool hasLine() const; // this epoch
  void draw(Batches done, const MetricValues &metrics);

  std::ostream &out_; // outlives this
  const TrainingProgressOptions options_;
  const unsigned lineEvery_; // epochs
  Epoch epoch_{0};
  Batches skipped_;             // of this epoch, by an earlier start
  Batches trained_;             // in the epochs that this start completed
  std::optional<double> start_; // of this start's first epoch
  double epochStart_ = 0.0;
  std::optional<double> trainingEnd_; // of the last execution so far
  std::optional<double> lastDrawn_;
  LiveBlock block_; // the bar and the lines above it
};

// The bar if standard output is a terminal, else lines.
TrainingProgressStyle trainingProgressStyleOfStdout();

} // namespace popscope::host
