#include "tests/e2e/pages/sample_log.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace popscope::tests {

using namespace summary;

std::vector<int> steps() {
  std::vector<int> all;
  for (int step = 0; step < kSteps; ++step)
    all.push_back(step);
  return all;
}

WallTime timeOf(int step) { return WallTime(kStart + 1 + step); }

float lossAt(int step, double rate) {
  return static_cast<float>(2.3 * std::exp(-2 * rate * step) + 0.02);
}

float accuracyAt(int step, double rate) {
  return static_cast<float>(0.98 - 0.88 * std::exp(-3 * rate * step));
}

float overflowingAt(int step) {
  return step == 0 ? 1.0F : std::numeric_limits<float>::quiet_NaN();
}

Histogram weightsAt(int step) {
  std::mt19937 random(1);
  std::vector<float> weights;
  for (int i = 0; i < 2000; ++i) {
    double sum = 0; // of twelve uniform numbers: nearly normal, and portable
    for (int part = 0; part < 12; ++part)
      sum += static_cast<double>(random()) / 4294967296.0;
    weights.push_back(static_cast<float>((sum - 6) * (1 + 0.1 * step) +
                                         0.2 * step * (i % 2)));
  }
  return uniformHistogram(weights);
}

PrCurve curveAt(int step) {
  std::vector<std::uint8_t> labels;
  std::vector<float> predictions;
  for (int i = 0; i < 200; ++i) {
    labels.push_back(i % 2);
    const double noise = (i * 37 % 100) / 100.0;
    const double skill = 0.1 + 0.015 * step;
    predictions.push_back(
        static_cast<float>(skill * (i % 2) + (1 - skill) * noise));
  }
  return prCurve(labels, predictions, 51);
}

std::vector<Image> picturesAt(int step) {
  std::vector<Image> pictures;
  for (std::size_t sample = 0; sample < 2; ++sample) {
    Image image{kPictureSide, kPictureSide, PixelFormat::rgb, {}};
    for (int y = 0; y < kPictureSide; ++y)
      for (int x = 0; x < kPictureSide; ++x) {
        std::uint8_t pixel[3] = {};
        pixel[sample] = static_cast<std::uint8_t>(x * 16);
        pixel[sample + 1] = static_cast<std::uint8_t>(y * 16 + step);
        image.pixels.insert(image.pixels.end(), pixel, pixel + 3);
      }
    pictures.push_back(std::move(image));
  }
  return pictures;
}

std::vector<float> tone() {
  std::vector<float> samples;
  for (int i = 0; i < kSampleRate / 10; ++i)
    samples.push_back(static_cast<float>(i % 16 - 8) / 8);
  return samples;
}

GraphDescription graph() {
  const std::string first = "ipu:0", second = "ipu:1";
  return {
      {{"images", "Input", {}, {}, "host", {{32, 28, 28, 1}}, {}},
       {"stage_0/conv_0/kernel",
        "Variable",
        {},
        {},
        first,
        {{3, 3, 1, 32}},
        {}},
       {"stage_0/conv_0/convolution",
        "Convolution",
        {"images", "stage_0/conv_0/kernel"},
        {},
        first,
        {{32, 26, 26, 32}},
        {{"padding", std::string("valid")}}},
       {"stage_0/pool_0",
        "MaxPool",
        {"stage_0/conv_0/convolution"},
        {},
        first,
        {{32, 13, 13, 32}},
        {}},
       {"stage_1/dense/kernel", "Variable", {}, {}, second, {{5408, 10}}, {}},
       {"stage_1/dense/product",
        "MatMul",
        {"stage_0/pool_0", "stage_1/dense/kernel"},
        {},
        second,
        {{32, 10}},
        {}},
       {"stage_1/softmax",
        "Softmax",
        {"stage_1/dense/product"},
        {},
        second,
        {{32, 10}},
        {}}}};
}

RunProfile profile() {
  RunProfile costs;
  std::chrono::microseconds start{0};
  for (const GraphNode &node : graph().nodes) {
    const std::chrono::microseconds took{10 * node.name.size()};
    costs.nodes.push_back({node.name, node.device, start, took,
                           4 * elementCount(node.outputShapes[0]),
                           node.outputShapes});
    start += took;
  }
  return costs;
}

LayerGraph layers() {
  return {"cnn",
          {{"conv_0", "Conv2D", {}},
           {"pool_0", "MaxPooling2D", {}},
           {"dense", "Dense", {}}}};
}

ScalarLayout layout() {
  return {{{"training", {LinesChart{"both", {"loss", "accuracy"}}}}}};
}

Sample embedding() {
  Sample sample;
  for (int i = 0; i < 30; ++i) {
    const auto turn = static_cast<float>(i) / 5;
    sample.vectors.insert(sample.vectors.end(),
                          {std::cos(turn), std::sin(turn), turn});
    sample.names.push_back("point " + std::to_string(i));
  }
  return sample;
}

std::vector<double> sweepRates() { return {0.05, 0.1, 0.2}; }

} // namespace popscope::tests
