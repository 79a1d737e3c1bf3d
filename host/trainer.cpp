#include "host/trainer.hpp"

#include "graph/codelets.hpp"
#include "graph/programs.hpp"

#include <poplar/Program.hpp>

#include <algorithm>
#include <numeric>

namespace popscope::host {

namespace {

poplar::Graph makeGraph(const poplar::Device &device) {
  poplar::Graph graph(device.getTarget());
  graph::addCodelets(graph);
  return graph;
}

std::vector<poplar::program::Program>
makePrograms(const graph::SoftmaxRegression &model,
             const outfeed::BatchStreams &streams) {
  using poplar::program::Sequence;
  std::vector<poplar::program::Program> programs(2);
  programs[unsigned(graph::ProgramId::train)] = Sequence(
      {streams.copyIn(), model.forward, model.update, streams.copyOut()});
  programs[unsigned(graph::ProgramId::evaluate)] =
      Sequence({streams.copyIn(), model.forward, streams.copyOut()});
  return programs;
}

} // namespace

Trainer::Trainer(const poplar::Device &device, unsigned tiles,
                 const graph::SoftmaxRegressionSpec &spec)
    : whole_(makeGraph(device)), graph_(whole_.createVirtualGraph(tiles)),
      model_(graph::addSoftmaxRegression(graph_, spec)),
      streams_(graph_, model_),
      engine_(whole_, makePrograms(model_, streams_)) {
  streams_.connect(engine_);
  engine_.load(device);
}

void Trainer::fillSlot(std::size_t slot, const Dataset &set,
                       std::size_t image) {
  const std::size_t pixels = set.imagePixels();
  std::transform(set.image(image), set.image(image) + pixels,
                 streams_.images.data() + slot * pixels,
                 [](std::uint8_t pixel) { return float(pixel) / 255.0f; });
  streams_.labels[slot] = set.labels[image];
}

double Trainer::trainEpoch(const Dataset &set,
                           const std::vector<std::size_t> &order,
                           const StepDone &stepDone) {
  const std::size_t batch = streams_.batchSize();
  const std::size_t steps = order.size() / batch;
  double loss = 0.0;
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t slot = 0; slot < batch; ++slot)
      fillSlot(slot, set, order[step * batch + slot]);
    engine_.run(unsigned(graph::ProgramId::train));
    loss =
        std::accumulate(streams_.losses.begin(), streams_.losses.end(), loss);
    stepDone(step + 1, steps);
  }
  return loss / double(steps * batch);
}

double Trainer::accuracy(const Dataset &set) {
  const std::size_t batch = streams_.batchSize();
  std::size_t right = 0;
  for (std::size_t begin = 0; begin < set.size(); begin += batch) {
    // The slots after the last image keep an older one and are not counted.
    const std::size_t used = std::min(batch, set.size() - begin);
    for (std::size_t slot = 0; slot < used; ++slot)
      fillSlot(slot, set, begin + slot);
    engine_.run(unsigned(graph::ProgramId::evaluate));
    for (std::size_t slot = 0; slot < used; ++slot)
      right += streams_.predictions[slot] == set.labels[begin + slot];
  }
  return double(right) / double(set.size());
}

} // namespace popscope::host
