// A training that never was, so that every page of TensorBoard has something to
// show and the tests know what.
#pragma once

#include "summary/event_writer.hpp"
#include "summary/values/projector.hpp"

#include <string>
#include <vector>

namespace popscope::tests {

constexpr int kSteps = 20;
constexpr int kPictureSide = 16;
constexpr double kStart = 1600000000.0; // seconds

std::vector<int> steps();
summary::WallTime timeOf(int step);

// The curves of a run; `rate` is its learning rate.
float lossAt(int step, double rate);
float accuracyAt(int step, double rate);
float overflowingAt(int step); // NaN after the first step

summary::Histogram weightsAt(int step);
summary::PrCurve curveAt(int step);
// Two pictures, red to green and green to blue.
std::vector<summary::Image> picturesAt(int step);
std::vector<float> tone(); // in eighths, which 16 bits hold exactly
constexpr int kSampleRate = 8000;

summary::GraphDescription graph();
summary::RunProfile profile();
summary::LayerGraph layers();
summary::ScalarLayout layout();

struct Sample {
  std::vector<float> vectors; // rows of three
  std::vector<std::string> names;
};
Sample embedding();

// Runs of their own, one per learning rate.
std::vector<double> sweepRates();

} // namespace popscope::tests
