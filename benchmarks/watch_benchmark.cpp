// How much slower is a watched training step than an unwatched one, and how
// does that compare with PyTorch's hooks and Keras' callback?
#include "benchmarks/support/peer_process.hpp"
#include "benchmarks/support/ratio.hpp"
#include "benchmarks/support/training_engine.hpp"
#include "graph/codelets.hpp"
#include "graph/models.hpp"
#include "outfeed/sinks/debugger_sink.hpp"
#include "outfeed/sinks/event_sink.hpp"
#include "outfeed/tap_session.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

using benchmarks::Better;
using benchmarks::PeerProcess;
using benchmarks::Suite;
using namespace popscope;

namespace {

const char *const kAllActivations = "kind:activation";
const char *const kAllGradients = "kind:gradient";

graph::TrainingSpec cnnSpec() {
  graph::TrainingSpec spec;
  spec.model = graph::cnnModel();
  spec.optimizer = graph::cnnOptimizer();
  spec.batchSize = 32;
  return spec;
}

std::filesystem::path scratchDirectory() {
  return std::filesystem::temp_directory_path() /
         ("popscope_watch_" + std::to_string(getpid()));
}

std::string newScratchDirectory() {
  static int count = 0;
  return (scratchDirectory() / std::to_string(++count)).string();
}

outfeed::TapOptions watchingHealth(unsigned recorderUpdates = 0) {
  outfeed::TapOptions options;
  options.health = true;
  options.recorderUpdates = recorderUpdates;
  return options;
}

outfeed::TapOptions underControl() {
  outfeed::TapOptions options;
  options.control = true;
  return options;
}

// Training with taps whose samples go to event files, as for a user.
class WatchedTraining {
public:
  explicit WatchedTraining(const std::vector<std::string> &rules,
                           const outfeed::TapOptions &options = {})
      : session_(parsed(rules), options) {
    session_.addSink(
        std::make_unique<outfeed::EventSink>(newScratchDirectory()));
    engine_ = std::make_unique<benchmarks::TrainingEngine>(
        cnnSpec(),
        benchmarks::TrainingEngine::Watcher{
            [](poplar::Graph &graph) { graph::addCodelets(graph); }, &session_,
            [this](poplar::Engine &engine) { session_.connect(engine); }});
  }
  ~WatchedTraining() { session_.close(); }

  void step() { engine_->step(); }
  const outfeed::TapSession &session() const { return session_; }

private:
  static std::vector<outfeed::TapRule>
  parsed(const std::vector<std::string> &texts) {
    std::vector<outfeed::TapRule> rules;
    for (const std::string &text : texts)
      rules.push_back(outfeed::parseTapRule(text));
    return rules;
  }

  outfeed::TapSession session_;
  std::unique_ptr<benchmarks::TrainingEngine> engine_;
};

// As many small tensors as taps; a run changes and watches each.
class ManyTaps {
public:
  explicit ManyTaps(unsigned taps)
      : session_(taps == 0 ? std::vector<outfeed::TapRule>{}
                           : std::vector{outfeed::parseTapRule("*")}) {
    session_.addSink(
        std::make_unique<outfeed::EventSink>(newScratchDirectory()));
    const poplar::Device device = poplar::IPUModel().createDevice();
    poplar::Graph graph(device.getTarget());
    graph::addCodelets(graph);
    popops::addCodelets(graph);
    poplar::program::Sequence prog;
    for (unsigned t = 0; t < kTensors; ++t) {
      const poplar::Tensor tensor = graph.addVariable(poplar::FLOAT, {256});
      poputil::mapTensorLinearly(graph, tensor);
      graph.setInitialValue(tensor, 0.5f);
      popops::negInPlace(graph, tensor, prog);
      if (t < taps)
        session_.visit(graph, prog,
                       {"tensor_" + std::to_string(t),
                        graph::TensorKind::activation,
                        graph::TapMoment::microBatch, 0, tensor});
    }
    session_.flush(graph, prog, graph::TapMoment::microBatch);
    engine_ = std::make_unique<poplar::Engine>(graph, prog);
    session_.connect(*engine_);
    engine_->load(device);
  }
  ~ManyTaps() { session_.close(); }

  static constexpr unsigned kTensors = 1000;

  void run() { engine_->run(); }

private:
  outfeed::TapSession session_;
  std::unique_ptr<poplar::Engine> engine_;
};

// Does the time that taps add grow in proportion to their number, and no
// faster?
void compareThousand(const Suite &suite) {
  if (suite.wants("watch/thousand-taps")) {
    const auto seconds = suite.timeAfresh([]() -> Suite::Functions {
      Suite::Functions functions;
      for (const unsigned taps : {ManyTaps::kTensors, 100u, 0u}) {
        const auto program = std::make_shared<ManyTaps>(taps);
        functions.push_back([program] { program->run(); });
      }
      return functions;
    });
    suite.report({"watch/thousand-taps", (seconds[0] - seconds[2]) / 1000,
                  (seconds[1] - seconds[2]) / 100,
                  "time added by each of a hundred taps", Better::lower, 1.1});
  }
  if (suite.wants("watch/thousand-taps-build")) {
    const auto seconds =
        suite.time({[] { const ManyTaps program(ManyTaps::kTensors); }});
    suite.report({"watch/thousand-taps-build", seconds[0], 10,
                  "10 s for building and compiling the graph", Better::lower,
                  1});
  }
}

// Seconds of a watched step and of an unwatched one.
std::vector<double> timeSteps(const Suite &suite,
                              const std::vector<std::string> &rules,
                              const outfeed::TapOptions &options = {}) {
  return suite.timeAfresh([&]() -> Suite::Functions {
    const auto quiet = std::make_shared<benchmarks::TrainingEngine>(
        cnnSpec(), benchmarks::TrainingEngine::Watcher{});
    const auto watched = std::make_shared<WatchedTraining>(rules, options);
    return {[watched] { watched->step(); }, [quiet] { quiet->step(); }};
  });
}

void compareWithQuiet(const Suite &suite, const std::string &name,
                      const std::vector<std::string> &rules, double goal,
                      const outfeed::TapOptions &options = {}) {
  if (!suite.wants(name))
    return;
  const std::vector<double> seconds = timeSteps(suite, rules, options);
  suite.report({name, seconds[0], seconds[1], "the same step unwatched",
                Better::lower, goal});
}

// The time that histograms of every activation and gradient add to a step,
// compared with the time a peer's histograms add to its step.
void compareWithPeer(const Suite &suite, const std::string &name,
                     const std::string &script, const std::string &watching,
                     double goal) {
  if (!suite.wants(name))
    return;
  PeerProcess peerWatched(script, watching), peerQuiet(script, "none");
  const std::vector<double> ours =
      timeSteps(suite, {std::string(kAllActivations) + " -> shape",
                        std::string(kAllGradients) + " -> shape"});
  const auto peer = suite.timeTurns(
      {[&](std::size_t calls) { return peerWatched.seconds(calls); },
       [&](std::size_t calls) { return peerQuiet.seconds(calls); }});
  suite.report({name, ours[0] - ours[1], peer[0] - peer[1], peerWatched.name(),
                Better::lower, goal});
}

void compareBytes(const Suite &suite) {
  if (!suite.wants("watch/bytes"))
    return;
  const WatchedTraining watched({"kind:activation", "kind:gradient"});
  double sent = 0, full = 0;
  for (const outfeed::TapSource &source : watched.session().program().sources())
    sent += double(source.bytes);
  for (const outfeed::Tap &tap : watched.session().plan().taps())
    full += double(tap.tensor.numElements * sizeof(float));
  suite.report({"watch/bytes", full / sent, 1.0,
                "bytes of the tensors over bytes sent", Better::higher, 100});
}

// Samples of all tensors of a training, given to one kind of sink.
template <class Sink> class Samples {
public:
  Samples(const outfeed::TapPlan &plan, outfeed::Payload payload)
      : plan_(plan), directory_(newScratchDirectory()), sink_(directory_) {
    std::vector<float> values(1000);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = float(i % 7) - 3;
    sample_ = outfeed::sampleOfFloats(
        summary::Span<const float>(values.data(), values.size()));
    sample_.payload = payload;
    sink_.begin(plan);
  }

  void giveUpdate() {
    for (const outfeed::Tap &tap : plan_.taps())
      sink_.take(tap, outfeed::Update(update_), sample_);
    ++update_;
  }
  // Of files of so many updates.
  double bytes(unsigned updates) {
    while (update_ < updates)
      giveUpdate();
    sink_.flush();
    double bytes = 0;
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(directory_))
      bytes += entry.is_regular_file() ? double(entry.file_size()) : 0;
    return bytes;
  }

private:
  const outfeed::TapPlan &plan_;
  const std::string directory_;
  Sink sink_;
  outfeed::TensorSample sample_;
  std::uint32_t update_ = 0;
};

// Do the files of TensorBoard's debugger cost more than the event files of the
// same samples?
void compareDebugger(const Suite &suite, const std::string &name,
                     outfeed::Payload payload) {
  using DebuggerFiles = Samples<outfeed::DebuggerSink>;
  using EventFiles = Samples<outfeed::EventSink>;
  const std::string bytesName = name + "-bytes";
  if (!suite.wants(name) && !suite.wants(bytesName))
    return;
  const WatchedTraining watched({"*"});
  const outfeed::TapPlan &plan = watched.session().plan();
  if (suite.wants(name)) {
    const auto seconds = suite.timeAfresh([&]() -> Suite::Functions {
      const auto ours = std::make_shared<DebuggerFiles>(plan, payload);
      const auto peer = std::make_shared<EventFiles>(plan, payload);
      return {[ours] { ours->giveUpdate(); }, [peer] { peer->giveUpdate(); }};
    });
    suite.report({name, seconds[0], seconds[1],
                  "event files of the same samples", Better::lower, 1});
  }
  if (suite.wants(bytesName)) {
    constexpr unsigned kUpdates = 1000;
    suite.report({bytesName, DebuggerFiles(plan, payload).bytes(kUpdates),
                  EventFiles(plan, payload).bytes(kUpdates),
                  "event files of the same samples", Better::lower, 1});
  }
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  try {
    compareWithQuiet(suite, "watch/none", {}, 1.02);
    compareWithQuiet(suite, "watch/off", {"* @ never"}, 1.01, underControl());
    compareWithQuiet(suite, "watch/health", {}, 1.03, watchingHealth());
    // Nothing fires.
    compareWithQuiet(suite, "watch/armed",
                     {"* when l2_norm>1000*mean or abs_max>1e30"}, 1.06,
                     watchingHealth(16));
    compareWithQuiet(suite, "watch/gradients", {kAllGradients}, 1.03);
    compareWithQuiet(suite, "watch/stats", {kAllActivations, kAllGradients},
                     1.05);
    compareWithQuiet(suite, "watch/histograms",
                     {std::string(kAllActivations) + " -> shape",
                      std::string(kAllGradients) + " -> shape"},
                     1.20);
    compareBytes(suite);
    compareThousand(suite);
    compareDebugger(suite, "watch/debugger-stats", outfeed::Payload::stats);
    compareDebugger(suite, "watch/debugger-alarm", outfeed::Payload::alarm);
    compareWithPeer(suite, "watch/vs-torch-hooks", "watch_hooks.py", "hooks",
                    1.0 / 20);
    // Keras' histograms are of the weights only.
    compareWithPeer(suite, "watch/vs-keras-histograms", "watch_keras.py",
                    "histograms", 1.0 / 20);
  } catch (const std::exception &error) {
    std::cerr << "watch_benchmark: " << error.what() << '\n';
    return 1;
  }
  std::filesystem::remove_all(scratchDirectory());
}
