// Writes a log with a value of every kind that TensorBoard's pages show, and
// beside it, as JSON, what its routes are to answer:
//
//   write_sample_log LOGDIR > expected.json
#include "tests/e2e/pages/sample_log.hpp"

#include <filesystem>
#include <iostream>
#include <limits>
#include <stdexcept>

namespace {

using namespace popscope::summary;
using namespace popscope::tests;

constexpr double kRate = 0.1; // of the run train

EventWriterOptions atStart() {
  EventWriterOptions options;
  options.clock = [] { return WallTime(kStart); };
  return options;
}

void expectWritten(EventWriter &writer) {
  if (writer.close() != SinkError::none)
    throw std::runtime_error("the log could not be written");
}

void beginSession(EventWriter &writer, double rate) {
  SessionStart session;
  session.hparams = {
      {"lr", rate}, {"optimizer", std::string("sgd")}, {"shuffle", true}};
  session.started = WallTime(kStart);
  writer.hparams(session);
}

void endSession(EventWriter &writer) {
  writer.sessionEnd({SessionStatus::success, WallTime(kStart + 60)});
}

void addCurves(EventBatch &batch, int step, double rate) {
  batch.add(Tag("accuracy"), accuracyAt(step, rate));
  batch.add(Tag("loss"), lossAt(step, rate));
}

std::vector<ImageView> viewsOf(const std::vector<Image> &images) {
  std::vector<ImageView> views;
  for (const Image &image : images)
    views.push_back(image.view());
  return views;
}

void writeTrain(const std::filesystem::path &directory) {
  EventWriter writer(directory, atStart());
  writer.graph(graph());
  writer.layers(layers());
  writer.profile("first step", Step(0), profile());
  writer.layout(layout());
  beginSession(writer, kRate);
  for (const int step : steps()) {
    EventBatch batch(Step(step), timeOf(step));
    addCurves(batch, step, kRate);
    batch.add(Tag("overflowing"), overflowingAt(step));
    batch.add(Tag("weights"), weightsAt(step));
    batch.add(Tag("curve"), curveAt(step));
    if (step % 10 == 0)
      batch.add(Tag("pictures"), viewsOf(picturesAt(step)));
    writer.write(batch);
  }
  const std::vector<float> samples = tone();
  EventBatch last(Step(kSteps), timeOf(kSteps));
  last.add(Tag("tone"), AudioClip{kSampleRate, 1, samples});
  last.add(Tag("note"), Markdown{"some **bold** words"});
  last.add(Tag("table"), TextTable{{"layer", "dead"}, {{"conv_0", "3 %"}}});
  writer.write(last);
  endSession(writer);
  expectWritten(writer);

  const Sample sample = embedding();
  Embedding points{"points", 3, sample.vectors, {}, {}, {}};
  for (const std::string &name : sample.names)
    points.labels.push_back({name});
  writeProjector(directory, {points});
}

void writeSweep(const std::filesystem::path &directory, double rate) {
  EventWriter writer(directory, atStart());
  beginSession(writer, rate);
  for (const int step : steps()) {
    EventBatch batch(Step(step), timeOf(step));
    addCurves(batch, step, rate);
    writer.write(batch);
  }
  endSession(writer);
  expectWritten(writer);
}

void writeLog(const std::filesystem::path &directory) {
  writeTrain(directory / "train");
  for (const double rate : sweepRates())
    writeSweep(directory / "sweep" / std::to_string(rate).substr(0, 4), rate);
}

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

template <class Number> void printNumbers(const std::vector<Number> &numbers) {
  printList(numbers, [](Number number) { std::cout << +number; });
}

// Points of time, step and what `print` prints for a step.
template <class Print> void printSeries(const char *name, const Print &print) {
  std::cout << ",\n\"" << name << "\": ";
  printList(steps(), [&](int step) {
    std::cout << "[" << timeOf(step).seconds() << ", " << step << ", ";
    print(step);
    std::cout << "]";
  });
}

void printExpected() {
  std::cout.precision(std::numeric_limits<double>::max_digits10);
  std::cout << "{\"start\": " << kStart;
  printSeries("loss", [](int step) { std::cout << lossAt(step, kRate); });
  printSeries("accuracy",
              [](int step) { std::cout << accuracyAt(step, kRate); });
  printSeries("weights", [](int step) {
    printList(weightsAt(step).buckets, [](const Histogram::Bucket &bucket) {
      printNumbers<double>({bucket.left, bucket.right, bucket.count});
    });
  });
  printSeries("true_positives",
              [](int step) { printNumbers(curveAt(step).truePositives); });
  printSeries("false_positives",
              [](int step) { printNumbers(curveAt(step).falsePositives); });
  printSeries("pictures", [](int step) {
    printList(picturesAt(step),
              [](const Image &image) { printNumbers(image.pixels); });
  });
  std::cout << ",\n\"side\": " << kPictureSide << ",\n\"tone\": ";
  printNumbers(tone());
  std::cout << ",\n\"tone_rate\": " << kSampleRate << ",\n\"vectors\": ";
  printNumbers(embedding().vectors);
  std::cout << ",\n\"names\": ";
  printList(embedding().names,
            [](const std::string &name) { std::cout << '"' << name << '"'; });
  std::cout << ",\n\"nodes\": ";
  printList(profile().nodes, [](const NodeCost &cost) {
    std::cout << "[\"" << cost.node << "\", \"" << cost.device << "\", "
              << cost.duration.count() << ", " << cost.bytes << "]";
  });
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
