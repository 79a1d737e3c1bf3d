#include "host/train/training_progress.hpp"

#include "host/terminal/steady_clock.hpp"
#include "text/number_text.hpp"
#include "text/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace popscope::host {

namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr double kLineSeconds = 0.5;
constexpr std::size_t kBarWidth = 24;
constexpr std::size_t kBarTerminal = 72; // a narrower one has better uses

std::string minutes(double seconds) {
  const auto whole = std::lround(seconds);
  char text[32];
  std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
  return text;
}

std::string inWords(const MetricValues &metrics, const std::string &prefix) {
  std::string text;
  for (const Metric &metric : metrics)
    text +=
        "  " + prefix + metric.name + " " + text::fourDecimals(metric.value);
  return text;
}

} // namespace

TrainingProgressOptions trainingProgressOfStdout() {
  TrainingProgressOptions options;
  if (!isatty(STDOUT_FILENO))
    return options;
  options.style = TrainingProgressStyle::bar;
  options.width = text::sizeOfTerminal().columns;
  return options;
}

TrainingProgress::TrainingProgress(std::ostream &out,
                                   TrainingProgressOptions options)
    : out_(out), options_([&] {
        if (!options.now)
          options.now = steadySeconds;
        return std::move(options);
      }()),
      block_(out) {}

std::string TrainingProgress::label() const {
  return "epoch " + std::to_string(epoch_ + 1) + "/" +
         std::to_string(options_.epochs);
}

void TrainingProgress::epochBegin(unsigned epoch, std::size_t stepsDone) {
  epoch_ = epoch;
  firstStep_ = stepsDone;
  epochStart_ = options_.now();
  trainingEnd_.reset();
}

void TrainingProgress::step(std::size_t stepsDone,
                            const std::function<MetricValues()> &metrics) {
  if (options_.style == TrainingProgressStyle::silent)
    return;
  const double now = options_.now();
  trainingEnd_ = now;
  if (options_.style != TrainingProgressStyle::bar)
    return;
  if (lastDrawn_ && now - *lastDrawn_ < kRedrawSeconds)
    return;
  lastDrawn_ = now;
  draw(stepsDone, metrics());
}

void TrainingProgress::draw(std::size_t stepsDone,
                            const MetricValues &metrics) {
  const double elapsed = std::max(options_.now() - epochStart_, 1e-9);
  const double rate = double(stepsDone - firstStep_) / elapsed; // steps/s
  const std::size_t filled = kBarWidth * stepsDone / options_.stepsPerEpoch;
  std::string line = label() + " ";
  if (options_.width >= kBarTerminal)
    line += "[" + std::string(filled, '=') +
            std::string(kBarWidth - filled, ' ') + "] ";
  line +=
      std::to_string(stepsDone) + "/" + std::to_string(options_.stepsPerEpoch);
  if (rate > 0.0) {
    const std::size_t left = options_.stepsPerEpoch - stepsDone;
    line += "  " + minutes(double(left) / rate) + " left  " +
            text::withThousands(rate * double(options_.imagesPerStep)) +
            " images/s";
  }
  line += inWords(metrics, "");
  // A line that wraps could not be wiped.
  std::vector<std::string> lines;
  if (options_.above)
    lines = options_.above();
  lines.push_back(line.substr(0, options_.width - 1));
  block_.draw(lines);
}

void TrainingProgress::epochEnd(const MetricValues &training,
                                const MetricValues &validation) {
  clear();
  const double now = options_.now();
  const bool isLast = epoch_ + 1 == options_.epochs;
  if (options_.style == TrainingProgressStyle::silent ||
      (lastLine_ >= 0.0 && now - lastLine_ < kLineSeconds && !isLast))
    return;
  lastLine_ = now;
  const double steps = double(options_.stepsPerEpoch - firstStep_);
  const double elapsed =
      std::max(trainingEnd_.value_or(now) - epochStart_, 1e-9);
  out_ << label() << "  "
       << text::withThousands(steps * double(options_.imagesPerStep) / elapsed)
       << " images/s" << inWords(training, "") << inWords(validation, "val_")
       << std::endl;
}

void TrainingProgress::clear() { block_.wipe(); }

} // namespace popscope::host
