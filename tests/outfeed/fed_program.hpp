// A program whose tensor the host fills anew at every execution, and what its
// taps tell.
#pragma once

#include "graph/codelets.hpp"
#include "outfeed/tap_session.hpp"

#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace popscope::outfeed::tests {

// Told by its session, in the order of arrival.
struct Heard {
  struct Sample {
    std::string name;
    std::uint32_t update;
    TensorSample sample;
  };
  struct Elements {
    std::uint32_t update;
    unsigned replica;
    std::vector<std::byte> bytes;
  };
  std::vector<Sample> samples, recorded;
  std::vector<Elements> elements;
  std::vector<std::string> firings; // "replica 0, update 3: ..."
  TapReport report;

  // Of one tensor.
  std::vector<std::uint32_t> updates(const std::string &name = "x") const {
    return updatesOf(samples, name);
  }
  std::vector<std::uint32_t>
  recordedUpdates(const std::string &name = "x") const {
    return updatesOf(recorded, name);
  }

private:
  static std::vector<std::uint32_t>
  updatesOf(const std::vector<Sample> &samples, const std::string &name) {
    std::vector<std::uint32_t> result;
    for (const Sample &sample : samples)
      if (sample.name == name)
        result.push_back(sample.update);
    return result;
  }
};

class HeardSink : public SampleSink {
public:
  explicit HeardSink(Heard &heard) : heard_(heard) {}
  void take(const Tap &tap, Update update,
            const TensorSample &sample) override {
    heard_.samples.push_back({tap.tensor.name, update.value(), sample});
  }
  void takeRecorded(const Tap &tap, Update update,
                    const TensorSample &sample) override {
    heard_.recorded.push_back({tap.tensor.name, update.value(), sample});
  }
  void takeElements(const Tap &, Update update, const SampleOrigin &origin,
                    const void *elements, std::size_t bytes) override {
    const auto *const begin = static_cast<const std::byte *>(elements);
    heard_.elements.push_back(
        {update.value(), origin.replica, {begin, begin + bytes}});
  }
  void takeFiring(const Firing &firing) override {
    heard_.firings.push_back("replica " +
                             std::to_string(firing.origin.replica) + ", " +
                             lineOf(firing));
  }

private:
  Heard &heard_;
};

// A queue of one shows what goes wrong between threads soonest.
inline TapOptions ofOneFrame() {
  TapOptions options;
  options.queueCapacity = 1;
  return options;
}

struct FedOptions {
  std::vector<std::string> names = {"x"}; // all of the same tensor
  std::size_t elements = 64;
  poplar::Type type = poplar::FLOAT;
  unsigned replicas = 1;
  bool lasting = false;
  unsigned executionsPerRun = 1;
  TapOptions taps = ofOneFrame();
  std::vector<std::function<std::unique_ptr<SampleSink>()>> sinks = {};
};

// In the host's form of the type.
using Values =
    std::function<std::vector<float>(unsigned replica, unsigned execution)>;

inline std::vector<float> constant(float value, std::size_t elements = 64) {
  return std::vector<float>(elements, value);
}

// One tensor; after it is visited, it is overwritten unless it is lasting.
class FedProgram {
public:
  FedProgram(const std::vector<std::string> &rules, const Values &values,
             FedOptions options = {})
      : options_(std::move(options)), device_(deviceFor(options_.replicas)),
        graph_(device_.getTarget(),
               poplar::replication_factor(options_.replicas)) {
    options_.taps.replicas = options_.replicas;
    std::vector<TapRule> parsed;
    for (const std::string &rule : rules)
      parsed.push_back(parseTapRule(rule));
    taps_ = std::make_unique<TapSession>(parsed, options_.taps);
    taps_->addSink(std::make_unique<HeardSink>(heard_));
    for (const auto &sink : options_.sinks)
      taps_->addSink(sink());
    build();
    engine_->load(device_);
    taps_->connect(*engine_);
    connect(values);
  }

  void run(unsigned executions) {
    for (unsigned i = 0; i < executions; i += options_.executionsPerRun)
      engine_->run();
  }
  // As after a run of a program that wants to know soon.
  void collectIfStopped() {
    taps_->sync();
    if (taps_->hasRecordedEvent())
      collect();
  }
  std::size_t collect() { return taps_->collectRecorded(*engine_); }
  const Heard &close() {
    heard_.report = taps_->close();
    return heard_;
  }
  TapSession &taps() { return *taps_; }
  poplar::Engine &engine() { return *engine_; }
  const Heard &heard() const { return heard_; }

private:
  static poplar::Device deviceFor(unsigned replicas) {
    poplar::IPUModel model;
    model.numIPUs = replicas;
    model.tilesPerIPU = 4;
    return model.createDevice();
  }

  void build() {
    graph::addCodelets(graph_);
    popops::addCodelets(graph_);
    const poplar::Tensor x =
        graph_.addVariable(options_.type, {options_.elements}, "x");
    for (unsigned t = 0; t < 4; ++t)
      graph_.setTileMapping(
          x.slice(options_.elements * t / 4, options_.elements * (t + 1) / 4),
          t);
    poplar::program::Sequence body({poplar::program::Copy(
        graph_.addHostToDeviceFIFO("feed", options_.type, options_.elements),
        x)});
    for (const std::string &name : options_.names)
      taps_->visit(graph_, body,
                   {name, graph::TensorKind::activation,
                    graph::TapMoment::microBatch, 0, x, options_.lasting});
    if (!options_.lasting)
      popops::subInPlace(graph_, x, x, body);
    taps_->flush(graph_, body, graph::TapMoment::microBatch);
    engine_ = std::make_unique<poplar::Engine>(
        graph_, poplar::program::Repeat(options_.executionsPerRun, body));
  }

  void connect(const Values &values) {
    for (unsigned replica = 0; replica < options_.replicas; ++replica)
      engine_->connectStreamToCallback(
          "feed", replica,
          [this, values, replica, execution = 0u](void *to) mutable {
            const std::vector<float> given = values(replica, execution++);
            if (options_.type == poplar::HALF)
              poplar::copyFloatToDeviceHalf(device_.getTarget(), given.data(),
                                            to, given.size());
            else
              std::memcpy(to, given.data(), given.size() * sizeof(float));
          });
  }

  FedOptions options_;
  poplar::Device device_;
  poplar::Graph graph_;
  Heard heard_;
  std::unique_ptr<TapSession> taps_;
  std::unique_ptr<poplar::Engine> engine_;
};

} // namespace popscope::outfeed::tests
