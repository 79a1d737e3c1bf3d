// The program of untapped.cpp under control, with checks and a replay:
//   controlled DIRECTORY UPDATES [FAULT]
// While it runs, `popscope control DIRECTORY` turns taps on and off and changes
// tensors. Checks say what they find. If a tensor is not finite, the program
// stops and runs that update again, with every tensor in full.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <graph/codelets.hpp>
#include <memory>
#include <outfeed/checks/check_sink.hpp>
#include <outfeed/sinks/event_sink.hpp>
#include <outfeed/state_history.hpp>
#include <outfeed/tap_session.hpp>
#include <vector>

using namespace poplar;
using namespace poplar::program;
namespace outfeed = popscope::outfeed;
using popscope::graph::TensorKind;

constexpr std::size_t kSamples = 256, kFeatures = 16;
constexpr auto kEach = popscope::graph::TapMoment::microBatch;

// The program, loaded onto a device, with the taps of a session.
class Regression {
public:
  explicit Regression(outfeed::TapSession &taps)
      : device_(IPUModel().createDevice()), graph_(device_.getTarget()) {
    popops::addCodelets(graph_);
    poplin::addCodelets(graph_);
    popscope::graph::addCodelets(graph_);
    Tensor x = graph_.addVariable(FLOAT, {kSamples, kFeatures}, "x");
    Tensor y = graph_.addVariable(FLOAT, {kSamples, 1}, "y");
    Tensor w = graph_.addVariable(FLOAT, {kFeatures, 1}, "w");
    for (const Tensor &tensor : {x, y, w})
      poputil::mapTensorLinearly(graph_, tensor);
    graph_.setInitialValue<float>(w, std::vector<float>(kFeatures, 0.0f));
    graph_.createHostWrite("x", x);
    graph_.createHostWrite("y", y);
    graph_.createHostRead("w", w);
    graph_.createHostWrite("w", w); // to go back to an earlier update

    Sequence step;
    Tensor error = poplin::matMul(graph_, x, w, step, "predict");
    popops::subInPlace(graph_, error, y, step);
    taps.visit(graph_, step, {"error", TensorKind::loss, kEach, 0, error});
    Tensor gradient =
        poplin::matMul(graph_, x.transpose(), error, step, "gradient");
    taps.visit(graph_, step,
               {"w_grad", TensorKind::gradient, kEach, 0, gradient});
    popops::scaledAddTo(graph_, w, gradient, -1.0f / kSamples, step);
    taps.visit(graph_, step, {"w", TensorKind::weight, kEach, 0, w});
    taps.flush(graph_, step, kEach);
    Sequence update; // what control says comes first
    taps.beginUpdate(graph_, update);
    update.add(step);

    engine_ = std::make_unique<Engine>(graph_, update);
    taps.connect(*engine_);
    engine_->load(device_);
    writeData();
  }
  Engine &engine() { return *engine_; }

private:
  void writeData() {
    std::vector<float> xs(kSamples * kFeatures), ys(kSamples);
    for (std::size_t i = 0; i < xs.size(); ++i)
      xs[i] = std::sin(float(i * i));
    for (std::size_t i = 0; i < kSamples; ++i)
      ys[i] = 2.0f * xs[i * kFeatures] - xs[i * kFeatures + 3];
    engine_->writeTensor("x", xs.data(), xs.data() + xs.size());
    engine_->writeTensor("y", ys.data(), ys.data() + ys.size());
  }

  Device device_;
  Graph graph_;
  std::unique_ptr<Engine> engine_;
};

// Prints what is seen of a tensor.
class Printer : public outfeed::SampleSink {
  void take(const outfeed::Tap &tap, outfeed::Update update,
            const outfeed::TensorSample &sample) override {
    std::printf(
        "update %u again: %s up to %g, %llu not finite\n", update.value(),
        tap.tensor.name.c_str(), sample.stats.absMax,
        static_cast<unsigned long long>(outfeed::healthOf(sample.stats).bad()));
  }
};

int main(int argc, char **argv) {
  if (argc < 3)
    return std::fprintf(stderr, "controlled DIRECTORY UPDATES [FAULT]\n"), 2;
  std::vector<outfeed::PlannedCheck> checks = outfeed::defaultChecks();
  outfeed::CheckSinkOptions checking;
  checking.facts.itemsPerMicroBatch = kSamples;
  checking.listener.found = [](const outfeed::Finding &finding) {
    std::printf("%s\n", lineOf(finding).c_str());
  };
  std::vector<outfeed::TapRule> rules = outfeed::tapsOf(checks, checking.facts);
  rules.push_back(outfeed::parseTapRule("* @ never -> identity"));
  outfeed::TapOptions options;
  options.health = options.control = true;
  options.interventions = {outfeed::TensorFilter::parse("*")};
  outfeed::TapSession taps(rules, options);
  taps.addSink(std::make_unique<outfeed::EventSink>(argv[1]));
  taps.addSink(
      std::make_unique<outfeed::CheckSink>(std::move(checks), checking));
  if (argc > 3)
    taps.inject(outfeed::parseInjection(argv[3]));
  Regression program(taps);
  std::filesystem::create_directories(argv[1]);
  taps.listen(argv[1]);

  outfeed::StateHistory history({{"w", kFeatures * sizeof(float)}});
  const auto updates = std::uint32_t(std::atol(argv[2]));
  for (std::uint32_t update = 0; update < updates && !taps.verdict();
       ++update) {
    history.save(program.engine(), outfeed::Update(update));
    program.engine().run();
    taps.sync();
  }
  const bool isWhole = taps.close().isWhole();
  for (const outfeed::Intervention &intervention : taps.interventions())
    std::printf("%s\n", lineOf(intervention).c_str());
  if (!taps.verdict())
    return isWhole ? 0 : 1;

  const outfeed::Update bad = taps.verdict()->update;
  std::printf("%s\n", firstLine(*taps.verdict()).c_str());
  outfeed::TapSession closer({outfeed::parseTapRule("* -> full")});
  closer.addSink(std::make_unique<Printer>());
  if (argc > 3)
    closer.inject(outfeed::parseInjection(argv[3])); // it is part of the story
  Regression again(closer);
  closer.resumeAt(again.engine(), *history.restore(again.engine(), bad));
  again.engine().run();
  closer.close();
  return 3;
}
