// The program of untapped.cpp with its tensors watched; `tensorboard --logdir
// DIRECTORY` shows them. `tapped DIRECTORY nan:w_grad@update=20,index=3` plants
// a fault and names it.
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
#include <exception>
#include <graph/codelets.hpp>
#include <memory>
#include <outfeed/sinks/event_sink.hpp>
#include <outfeed/tap_session.hpp>
#include <vector>

using namespace poplar;
using namespace poplar::program;
namespace outfeed = popscope::outfeed;
using popscope::graph::Derivation;
using popscope::graph::TensorKind;

constexpr std::size_t kSamples = 256, kFeatures = 16;
constexpr unsigned kSteps = 50;
constexpr auto kEach = popscope::graph::TapMoment::microBatch;
constexpr auto kProduct = popscope::graph::Computation::product;
constexpr auto kUpdate = popscope::graph::Computation::optimizer;

int main(int argc, char **argv) try {
  outfeed::TapOptions options;
  options.health = true;
  outfeed::TapSession taps({outfeed::parseTapRule("* -> shape")}, options);
  taps.addSink(
      std::make_unique<outfeed::EventSink>(argc > 1 ? argv[1] : "logs"));
  if (argc > 2)
    taps.inject(outfeed::parseInjection(argv[2]));

  const Device device = IPUModel().createDevice();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  popscope::graph::addCodelets(graph);

  Tensor x = graph.addVariable(FLOAT, {kSamples, kFeatures}, "x");
  Tensor y = graph.addVariable(FLOAT, {kSamples, 1}, "y");
  Tensor w = graph.addVariable(FLOAT, {kFeatures, 1}, "w");
  for (const Tensor &tensor : {x, y, w})
    poputil::mapTensorLinearly(graph, tensor);
  graph.setInitialValue<float>(w, std::vector<float>(kFeatures, 0.0f));
  graph.createHostWrite("x", x);
  graph.createHostWrite("y", y);
  graph.createHostRead("w", w);

  Sequence step;
  const auto watch = [&](const char *name, TensorKind kind, const Tensor &t,
                         const Derivation &from) {
    taps.visit(graph, step, {name, kind, kEach, 0, t, false, false, from});
  };
  Tensor error = poplin::matMul(graph, x, w, step, "predict");
  popops::subInPlace(graph, error, y, step);
  watch("error", TensorKind::activation, error, {kProduct, {"w"}, kFeatures});
  Tensor gradient =
      poplin::matMul(graph, x.transpose(), error, step, "gradient");
  watch("w_grad", TensorKind::gradient, gradient,
        {kProduct, {"error"}, kSamples});
  popops::scaledAddTo(graph, w, gradient, -1.0f / kSamples, step);
  watch("w", TensorKind::weight, w, {kUpdate, {"w", "w_grad"}});
  taps.flush(graph, step, kEach);

  Engine engine(graph, step);
  taps.connect(engine);
  engine.load(device);
  std::vector<float> xs(kSamples * kFeatures), ys(kSamples), ws(kFeatures);
  for (std::size_t i = 0; i < xs.size(); ++i)
    xs[i] = std::sin(float(i * i));
  for (std::size_t i = 0; i < kSamples; ++i)
    ys[i] = 2.0f * xs[i * kFeatures] - xs[i * kFeatures + 3];
  engine.writeTensor("x", xs.data(), xs.data() + xs.size());
  engine.writeTensor("y", ys.data(), ys.data() + ys.size());
  for (unsigned i = 0; i < kSteps; ++i)
    engine.run();
  engine.readTensor("w", ws.data(), ws.data() + ws.size());
  for (const float value : ws)
    std::printf("%.9g\n", double(value));
  const outfeed::TapReport report = taps.close();
  std::fprintf(stderr, "%llu bytes in %llu transfers\n",
               static_cast<unsigned long long>(report.bytes),
               static_cast<unsigned long long>(report.frames));
  if (const auto verdict = taps.verdict())
    std::fprintf(stderr, "%s\n", firstLine(*verdict).c_str());
  return report.isWhole() ? 0 : 1;
} catch (const std::exception &error) { // a fault that it cannot plant
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
