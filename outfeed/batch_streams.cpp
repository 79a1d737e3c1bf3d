#include "outfeed/batch_streams.hpp"

namespace popscope::outfeed {

namespace {

constexpr const char *kImages = "images";
constexpr const char *kLabels = "labels";
constexpr const char *kLosses = "losses";
constexpr const char *kPredictions = "predictions";

poplar::program::Copy fromHost(poplar::Graph &graph, const char *handle,
                               const poplar::Tensor &tensor) {
  const poplar::DataStream stream = graph.addHostToDeviceFIFO(
      handle, tensor.elementType(), tensor.numElements());
  return poplar::program::Copy(stream, tensor);
}

poplar::program::Copy toHost(poplar::Graph &graph, const char *handle,
                             const poplar::Tensor &tensor) {
  const poplar::DataStream stream = graph.addDeviceToHostFIFO(
      handle, tensor.elementType(), tensor.numElements());
  return poplar::program::Copy(tensor, stream);
}

template <typename T>
void connectBuffer(poplar::Engine &engine, const char *handle,
                   std::vector<T> &buffer) {
  engine.connectStream(handle, buffer.data(), buffer.data() + buffer.size());
}

} // namespace

BatchStreams::BatchStreams(poplar::Graph &graph,
                           const graph::SoftmaxRegression &model)
    : images(model.images.numElements()), labels(model.labels.numElements()),
      losses(model.losses.numElements()),
      predictions(model.predictions.numElements()) {
  copyIn_.add(fromHost(graph, kImages, model.images));
  copyIn_.add(fromHost(graph, kLabels, model.labels));
  copyOut_.add(toHost(graph, kLosses, model.losses));
  copyOut_.add(toHost(graph, kPredictions, model.predictions));
}

void BatchStreams::connect(poplar::Engine &engine) {
  connectBuffer(engine, kImages, images);
  connectBuffer(engine, kLabels, labels);
  connectBuffer(engine, kLosses, losses);
  connectBuffer(engine, kPredictions, predictions);
}

} // namespace popscope::outfeed
