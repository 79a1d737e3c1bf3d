#include "outfeed/tap_stream.hpp"

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

void connectStream(poplar::Engine &engine, const TapSource &source,
                   unsigned replicas, FrameQueue &queue) {
  for (unsigned replica = 0; replica < replicas; ++replica)
    engine.connectStreamToCallback(
        source.handle, replica,
        std::make_unique<Receiver>(queue, source.number, replica,
                                   source.bytes));
}

} // namespace popscope::outfeed
