#include "host/train/training_progress.hpp"

#include "host/terminal/steady_clock.hpp"
#include "host/train/progress_line.hpp"
#include "text/folded.hpp"
#include "text/number_text.hpp"
#include "text/terminal.hpp"

#include <algorithm>
#include <utility>

namespace popscope::host {

namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr unsigned kMostLines = 200; // on a terminal
constexpr double kShortest = 1e-9;   // seconds, to divide by

unsigned lineEvery(const TrainingProgressOptions &options) {
  if (options.style != TrainingProgressStyle::bar)
    return 1;
  return (options.epochs + kMostLines - 1) / kMostLines;
}

} // namespace

TrainingProgressStyle trainingProgressStyleOfStdout() {
  return text::isTerminal(STDOUT_FILENO) ? TrainingProgressStyle::bar
                                         : TrainingProgressStyle::lines;
}

TrainingProgress::TrainingProgress(std::ostream &out,
                                   TrainingProgressOptions options)
    : out_(out), options_([&] {
        if (!options.now)
          options.now = steadySeconds;
        if (!options.columns)
          options.columns = [] { return text::sizeOfTerminal().columns; };
        return std::move(options);
      }()),
      lineEvery_(lineEvery(options_)), block_(out) {}

std::string TrainingProgress::label() const {
  return "epoch " + std::to_string(epoch_.number()) + "/" +
         std::to_string(options_.epochs);
}

bool TrainingProgress::hasLine() const {
  return options_.style != TrainingProgressStyle::silent &&
         (epoch_.index() == 0 || epoch_.number() == options_.epochs ||
          epoch_.number() % lineEvery_ == 0);
}

void TrainingProgress::epochBegin(Epoch epoch, Batches done) {
  epoch_ = epoch;
  skipped_ = done;
  epochStart_ = options_.now();
  trainingEnd_.reset();
  if (start_)
    return;
  start_ = epochStart_;
  if (lineEvery_ > 1)
    out_ << text::withThousands(options_.epochs) << " epochs: the first, every "
         << text::ordinal(lineEvery_) << " and the last have a line"
         << std::endl;
}

void TrainingProgress::executionEnd(
    Batches done, const std::function<MetricValues()> &metrics) {
  if (options_.style == TrainingProgressStyle::silent)
    return;
  const double now = options_.now();
  trainingEnd_ = now;
  if (options_.style != TrainingProgressStyle::bar)
    return;
  if (lastDrawn_ && now - *lastDrawn_ < kRedrawSeconds)
    return;
  lastDrawn_ = now;
  draw(done, metrics());
}

void TrainingProgress::draw(Batches done, const MetricValues &metrics) {
  const double now = options_.now();
  const Batches inEpoch = done - skipped_;
  const double trained = double((trained_ + inEpoch).value());
  const double all =
      double(options_.epochs) * double(options_.batchesPerEpoch.value());
  const double doneOfAll =
      double(epoch_.index()) * double(options_.batchesPerEpoch.value()) +
      double(done.value());

  ProgressState state;
  state.label = label();
  state.done = done;
  state.total = options_.batchesPerEpoch;
  state.imagesPerSecond = double(inEpoch.value()) *
                          double(options_.imagesPerBatch) /
                          std::max(now - epochStart_, kShortest);
  if (trained > 0.0)
    state.secondsLeft = (all - doneOfAll) * (now - *start_) / trained;
  state.metrics = metrics;
  // The last column stays free: a line that wraps could not be wiped.
  const std::size_t columns = std::max<std::size_t>(options_.columns(), 2);
  std::vector<std::string> lines;
  if (options_.above)
    lines = options_.above();
  lines.push_back(progressLine(state, columns - 1));
  block_.draw(lines);
}

void TrainingProgress::epochEnd(const MetricValues &training,
                                const MetricValues &validation) {
  const Batches inEpoch = options_.batchesPerEpoch - skipped_;
  trained_ += inEpoch;
  if (!hasLine())
    return;
  clear();
  const double seconds =
      std::max(trainingEnd_.value_or(options_.now()) - epochStart_, kShortest);
  const double images =
      double(inEpoch.value()) * double(options_.imagesPerBatch);
  const std::string line =
      label() + "  " + text::withThousands(images / seconds) + " images/s" +
      metricsText(training, "") + metricsText(validation, "val_");
  const bool isTerminal = options_.style == TrainingProgressStyle::bar;
  out_ << text::folded(line,
                       isTerminal ? options_.columns() : std::string::npos,
                       "  ", "  ")
       << std::endl;
}

void TrainingProgress::clear() { block_.wipe(); }

} // namespace popscope::host
