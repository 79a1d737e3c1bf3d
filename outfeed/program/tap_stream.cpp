#include "outfeed/program/tap_stream.hpp"

#include <poplar/StreamCallback.hpp>

#include <memory>

namespace popscope::outfeed {

namespace {

class Receiver : public poplar::StreamCallback {
public:
  Receiver(FrameQueue &queue, unsigned source, unsigned replica,
           std::size_t bytes)
      : queue_(queue), origin_{source, replica, 0}, bytes_(bytes) {}

  Result prefetch(void *) override { return Result::NotAvailable; }
  void fetch(void *data) noexcept override {
    queue_.push(origin_, data, bytes_);
    ++origin_.number;
  }
  void complete() override {}

private:
  FrameQueue &queue_;
  FrameOrigin origin_; // of the next frame
  std::size_t bytes_;
};

// What is asked for until the update begins still holds for it, so nothing is
// fetched ahead.
class MaskSender : public poplar::StreamCallback {
public:
  MaskSender(const TapMask &mask, TapControl &control, Instances &instances)
      : mask_(mask), control_(control), instances_(instances) {}

  Result prefetch(void *) override { return Result::NotAvailable; }
  void fetch(void *data) override {
    auto *const words = static_cast<unsigned *>(data);
    const bool isFirst = instances_.slice().isFirst();
    if (isFirst)
      decide(words);
    instances_.broadcast(words, mask_.size() * sizeof(unsigned), "mask");
    if (!isFirst)
      control_.follow([&](TapId tap) { return mask_.isFlagged(tap, words); });
  }
  void complete() override {}

private:
  void decide(unsigned *words) {
    control_.beginUpdate();
    mask_.write({[this](TapId tap) { return control_.isDue(tap); },
                 [this](TapId tap, std::size_t limit) {
                   return control_.limit(tap, limit);
                 },
                 [this](std::size_t place) -> const InterventionWords & {
                   return control_.intervention(place);
                 }},
                words);
  }

  const TapMask &mask_;
  TapControl &control_;
  Instances &instances_;
};

} // namespace

void addTransfer(poplar::Graph &graph, TapSource &source,
                 const poplar::Tensor &tensor, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext) {
  const poplar::Type type = tensor.elementType();
  source.bytes = tensor.numElements() * graph.getTarget().getTypeSize(type);
  prog.add(poplar::program::Copy(
      tensor,
      graph.addDeviceToHostFIFO(source.handle, type, tensor.numElements()),
      false, debugContext));
}

poplar::Tensor headerOf(poplar::Graph &graph, const TapSource &source,
                        const poplar::Tensor &execution, unsigned tile) {
  const poplar::Tensor constants = graph.addConstant<unsigned>(
      poplar::UNSIGNED_INT, {2},
      std::vector<unsigned>{kStatsLayoutVersion, source.number}.data(),
      {"popscope/header"});
  graph.setTileMapping(constants, tile);
  return poplar::concat(constants, execution.reshape({1}));
}

void connectStream(poplar::Engine &engine, const TapSource &source,
                   const ReplicaSlice &slice, FrameQueue &queue) {
  for (unsigned replica = 0; replica < slice.localReplicas(); ++replica)
    engine.connectStreamToCallback(
        source.handle, replica,
        std::make_unique<Receiver>(queue, source.number,
                                   slice.firstReplica() + replica,
                                   source.bytes));
}

void connectMask(poplar::Engine &engine, const std::string &handle,
                 const TapMask &mask, TapControl &control,
                 Instances &instances) {
  engine.connectStreamToCallback(
      handle, std::make_unique<MaskSender>(mask, control, instances));
}

} // namespace popscope::outfeed
