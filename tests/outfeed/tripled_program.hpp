// A program of two tensors for sessions to watch.
#pragma once

#include "graph/codelets.hpp"
#include "outfeed/tap_session.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace popscope::outfeed::tests {

inline constexpr std::size_t kElements = 5000; // of the longer one

// Each run triples `x` in place after it was visited, and turns the sign of
// `y`, which is half as long.
class TripledProgram {
public:
  explicit TripledProgram(TapSession *taps, unsigned visits = 1)
      : device_(poplar::IPUModel().createDevice()),
        graph_(device_.getTarget()) {
    graph::addCodelets(graph_);
    popops::addCodelets(graph_);
    const poplar::Tensor x = add("x", kElements, 1.0f);
    const poplar::Tensor y = add("y", kElements / 2, -1.0f);
    poplar::program::Sequence prog;
    for (unsigned v = 0; taps && v < visits; ++v)
      taps->visit(graph_, prog,
                  {"x" + (v == 0 ? "" : std::to_string(v)),
                   graph::TensorKind::activation, graph::TapMoment::microBatch,
                   0, x});
    popops::mulInPlace(graph_, x, 3.0f, prog);
    if (taps)
      taps->visit(graph_, prog,
                  {"y", graph::TensorKind::gradient,
                   graph::TapMoment::microBatch, 0, y});
    popops::negInPlace(graph_, y, prog);
    if (taps)
      taps->flush(graph_, prog, graph::TapMoment::microBatch);
    prog_ = prog;
  }

  // Behind what has been flushed.
  void visitLate(TapSession &taps, const poplar::Type &type) {
    const poplar::Tensor tensor = graph_.addVariable(type, {8}, "late");
    graph_.setTileMapping(tensor, 0);
    taps.visit(graph_, prog_,
               {"late", graph::TensorKind::activation,
                graph::TapMoment::microBatch, 0, tensor});
  }
  void load(TapSession *taps = nullptr) {
    engine_ = std::make_unique<poplar::Engine>(graph_, prog_);
    engine_->load(device_);
    if (taps)
      taps->connect(*engine_);
  }
  void resumeAt(TapSession &taps, std::uint32_t step) {
    taps.resumeAt(*engine_, Update(step));
  }
  void run(unsigned times) {
    for (unsigned i = 0; i < times; ++i)
      engine_->run();
  }
  std::vector<float> read(const char *name, std::size_t count) {
    std::vector<float> values(count);
    engine_->readTensor(name, values.data(), values.data() + count);
    return values;
  }
  std::string graphBytes() const {
    std::ostringstream bytes;
    graph_.serialize(bytes, poplar::SerializationFormat::Binary);
    return bytes.str();
  }

private:
  poplar::Tensor add(const char *name, std::size_t count, float sign) {
    const poplar::Tensor tensor =
        graph_.addVariable(poplar::FLOAT, {count}, name);
    for (unsigned t = 0; t < 4; ++t)
      graph_.setTileMapping(tensor.slice(count * t / 4, count * (t + 1) / 4),
                            t);
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = sign * float(i) / float(count);
    graph_.setInitialValue<float>(tensor, values);
    graph_.createHostRead(name, tensor);
    return tensor;
  }

  poplar::Device device_;
  poplar::Graph graph_;
  poplar::program::Sequence prog_;
  std::unique_ptr<poplar::Engine> engine_;
};

} // namespace popscope::outfeed::tests
