// How many records of several instances can one core merge in a second, and
// does the time of a record stay the same with more of them? Every instance
// sends a frame of 10,000 taps an update.
#include "benchmarks/support/ratio.hpp"
#include "codelets/row_merge.hpp"
#include "graph/codelets.hpp"
#include "outfeed/drain/sample_fold.hpp"

#include <poplar/IPUModel.hpp>

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <time.h>
#include <vector>

using namespace popscope;
using namespace popscope::outfeed;
using benchmarks::Better;
using benchmarks::Suite;

namespace {

constexpr std::size_t kTaps = 10000, kElements = 8;
constexpr double kRecordsPerSecond = 2e6;

// The taps of a program with so many tensors.
class Program {
public:
  explicit Program(const std::string &payload)
      : plan_({parseTapRule("* -> " + payload)}), program_(plan_) {
    poplar::IPUModel model;
    poplar::Graph graph(model.createDevice().getTarget());
    graph::addCodelets(graph);
    poplar::program::Sequence prog;
    for (std::size_t i = 0; i < kTaps; ++i) {
      const std::string name = "tensor_" + std::to_string(i);
      const poplar::Tensor tensor =
          graph.addVariable(poplar::FLOAT, {kElements}, {name});
      graph.setTileMapping(tensor, unsigned(i % 1472));
      program_.visit(graph, prog,
                     {name, graph::TensorKind::gradient,
                      graph::TapMoment::accumulated, 0, tensor});
    }
    program_.flush(graph, prog, graph::TapMoment::accumulated);
  }

  // Of one instance, as its replica would send it.
  Frame frame(unsigned instance, unsigned execution) const {
    const TapSource &source = program_.sources().front();
    Frame frame;
    frame.origin.replica = instance;
    frame.bytes.resize(source.bytes);
    const FrameHeader header{kStatsLayoutVersion, source.number, execution};
    std::memcpy(frame.bytes.data(), &header, sizeof header);
    std::mt19937 random(instance);
    std::normal_distribution<float> normal;
    for (const TapSource::Record &record : source.records) {
      StatsRow row = emptyRow();
      row.count = kElements;
      row.positive = 4;
      row.mean = normal(random);
      row.deviation = 1.0f;
      row.meanAbs = 1.0f;
      row.min = row.mean - 2.0f;
      row.max = row.absMax = 2.0f + row.mean * row.mean;
      row.argMin = random() % kElements;
      row.argMax = random() % kElements;
      row.absMinNonZero = 0.125f;
      row.kurtosis = 3.0f;
      row.topExponent = 128 + random() % 3;
      row.buckets[0][random() % 16] = row.buckets[1][random() % 16] = 4;
      storeRow(reinterpret_cast<unsigned *>(frame.bytes.data()) +
                   record.firstWord,
               row, tierOf(plan_.tap(record.tap)));
    }
    return frame;
  }

  const TapPlan &plan() const { return plan_; }
  const TapProgram &program() const { return program_; }

private:
  TapPlan plan_;
  TapProgram program_;
};

// Of this core: other processes do not count.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

// Seconds of an update: frames of all instances become one sample of each tap.
double secondsOfAnUpdate(const Program &program, unsigned instances) {
  std::vector<Frame> frames;
  for (unsigned i = 0; i < instances; ++i)
    frames.push_back(program.frame(i, 0));
  FrameDecoder decoder(program.plan(), program.program(), instances);
  std::size_t taken = 0;
  SampleFold fold(Fold::together, instances,
                  [&](const Tap &, Update, const TensorSample &sample) {
                    taken += sample.parts == instances;
                  });
  double best = 0;
  constexpr unsigned kUpdates = 4;
  for (unsigned update = 0; update < kUpdates; ++update) {
    for (Frame &frame : frames)
      std::memcpy(frame.bytes.data() + 2 * sizeof(unsigned), &update,
                  sizeof update);
    const double start = now();
    for (const Frame &frame : frames)
      if (decoder.decode(frame, [&](const DecodedSample &sample) {
            fold.add(sample);
          }) != FrameError::none)
        std::abort();
    const double seconds = now() - start;
    best = update == 0 || seconds < best ? seconds : best;
  }
  if (taken != kUpdates * kTaps)
    std::abort();
  return best;
}

void measure(const Suite &suite, const std::string &payload) {
  const std::string name =
      "merge/instances" + (payload == "stats" ? "" : "-" + payload);
  if (!suite.wants(name))
    return;
  const Program program(payload);
  constexpr unsigned kFew = 8, kMany = 64;
  const double few = secondsOfAnUpdate(program, kFew) / kFew;
  const double many = secondsOfAnUpdate(program, kMany) / kMany;
  suite.report({name, kTaps / many, kRecordsPerSecond, "2 million records/s",
                Better::higher, 1.0});
  suite.report({name + "-growth", many, few, "8 instances, per record",
                Better::lower, 1.25});
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  for (const char *payload : {"stats", "alarm", "shape"})
    measure(suite, payload);
}
