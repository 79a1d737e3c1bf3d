// Writes a log with a value of every kind that TensorBoard's pages show, and
// beside it, as JSON, what its routes are to answer:
//
//   write_sample_log LOGDIR > expected.json
#include "summary/event_writer.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace popscope::summary;

constexpr int kSteps = 5;
constexpr double kStart = 1600000000.0; // seconds

WallTime timeOf(int step) { return WallTime(kStart + 1 + step); }

// The elements of a list, each printed by `print`, between brackets.
template <class List, class Print>
void printList(const List &list, const Print &print) {
  std::cout << "[";
  const char *separator = "";
  for (const auto &element : list) {
    std::cout << separator;
    print(element);
    separator = ", ";
  }
  std::cout << "]";
}

void printNumbers(const std::vector<double> &numbers) {
  printList(numbers, [](double number) { std::cout << number; });
}

std::vector<int> steps() {
  std::vector<int> all;
  for (int step = 0; step < kSteps; ++step)
    all.push_back(step);
  return all;
}

float lossAt(int step) { return 1.0F / static_cast<float>(step + 1); }

Histogram weightsAt(int step) {
  std::vector<float> weights;
  for (int i = 0; i <= 100; ++i)
    weights.push_back(static_cast<float>(i * (step + 1)));
  return uniformHistogram(weights);
}

PrCurve curve() {
  const std::vector<std::uint8_t> labels = {0, 1, 0, 1, 1};
  const std::vector<float> predictions = {0.1F, 0.4F, 0.6F, 0.7F, 0.9F};
  return prCurve(labels, predictions, 5);
}

Image picture() {
  Image image{3, 2, PixelFormat::rgb, {}};
  for (int i = 0; i < 18; ++i)
    image.pixels.push_back(static_cast<std::uint8_t>(i * 14));
  return image;
}

void writeLog(const std::filesystem::path &directory) {
  EventWriterOptions options;
  options.clock = [] { return WallTime(kStart); };
  EventWriter writer(directory / "train", options);
  SessionStart session;
  session.hparams = {
      {"lr", 0.125}, {"optimizer", std::string("sgd")}, {"shuffle", true}};
  session.started = WallTime(kStart);
  writer.hparams(session);
  for (const int step : steps()) {
    EventBatch batch(Step(step), timeOf(step));
    batch.add(Tag("loss"), lossAt(step));
    batch.add(Tag("broken"),
              step == 0 ? 1.0F : std::numeric_limits<float>::quiet_NaN());
    batch.add(Tag("weights"), weightsAt(step));
    writer.write(batch);
  }
  EventBatch last(Step(kSteps), timeOf(kSteps));
  last.add(Tag("digit"), picture());
  last.add(Tag("note"), Markdown{"some **bold** words"});
  last.add(Tag("curve"), curve());
  writer.write(last);
  writer.sessionEnd({SessionStatus::success, WallTime(kStart + 60)});
  if (writer.close() != SinkError::none)
    throw std::runtime_error("the log could not be written");
}

void printExpected() {
  std::cout.precision(std::numeric_limits<double>::max_digits10);
  std::cout << "{\"start\": " << kStart << ",\n\"loss\": ";
  printList(steps(), [](int step) {
    std::cout << "[" << timeOf(step).seconds() << ", " << step << ", "
              << lossAt(step) << "]";
  });
  std::cout << ",\n\"weights\": ";
  printList(steps(), [](int step) {
    std::cout << "[" << timeOf(step).seconds() << ", " << step << ", ";
    printList(weightsAt(step).buckets, [](const Histogram::Bucket &bucket) {
      printNumbers({bucket.left, bucket.right, bucket.count});
    });
    std::cout << "]";
  });
  const PrCurve counts = curve();
  std::cout << ",\n\"true_positives\": ";
  printNumbers(counts.truePositives);
  std::cout << ",\n\"false_positives\": ";
  printNumbers(counts.falsePositives);
  std::cout << ",\n\"pixels\": ";
  printList(picture().pixels, [](std::uint8_t byte) { std::cout << +byte; });
  std::cout << "}\n";
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: write_sample_log LOGDIR\n";
    return 2;
  }
  try {
    writeLog(argv[1]);
    printExpected();
  } catch (const std::exception &error) {
    std::cerr << "write_sample_log: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
