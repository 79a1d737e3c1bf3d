// How far training has come: a bar that is redrawn on a terminal, a line per
// epoch in a pipe.
#pragma once

#include "host/metrics/metrics.hpp"
#include "host/terminal/live_block.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace popscope::host {

enum class TrainingProgressStyle { bar, lines, silent };

struct TrainingProgressOptions {
  TrainingProgressStyle style = TrainingProgressStyle::lines;
  std::size_t width = 80; // of the terminal
  unsigned epochs = 1;
  std::size_t stepsPerEpoch = 1;
  std::size_t imagesPerStep = 1;
  std::function<double()> now; // seconds; a steady clock by default
  // Lines to draw above the bar, each shorter than the terminal is wide; asked
  // whenever the bar is redrawn. None by default.
  std::function<std::vector<std::string>()> above;
};

class TrainingProgress {
public:
  TrainingProgress(std::ostream &out, TrainingProgressOptions options);

  // Epochs count from 0. The epoch may have been begun by an earlier start.
  void epochBegin(unsigned epoch, std::size_t stepsDone = 0);
  // Cheap enough to be called every step; `metrics` is asked only to draw.
  void step(std::size_t stepsDone,
            const std::function<MetricValues()> &metrics);
  // The rate is that of the steps, whatever validation took after them.
  // Epochs that follow each other faster than twice a second share a line; the
  // first and the last have one of their own.
  void epochEnd(const MetricValues &training, const MetricValues &validation);

  // Wipes the bar and what is above it, so that ordinary output can follow.
  void clear();

private:
  std::string label() const;
  void draw(std::size_t stepsDone, const MetricValues &metrics);

  std::ostream &out_; // outlives this
  const TrainingProgressOptions options_;
  unsigned epoch_ = 0;
  std::size_t firstStep_ = 0;
  double epochStart_ = 0.0;
  std::optional<double> trainingEnd_; // the last step's so far, of the epoch
  std::optional<double> lastDrawn_;
  double lastLine_ = -1.0;
  LiveBlock block_; // the bar and what is above it
};

// The bar if standard output is a terminal, and that terminal's width.
TrainingProgressOptions trainingProgressOfStdout();

} // namespace popscope::host
