#include "host/callbacks/tensorboard.hpp"

#include "host/callbacks/model_graph.hpp"

namespace popscope::host {

namespace {

void writeMetrics(summary::EventWriter &writer, Epoch epoch,
                  const MetricValues &metrics) {
  for (const Metric &metric : metrics)
    writer.scalar(summary::Tag("epoch_" + metric.name),
                  summary::Step(epoch.index()), float(metric.value));
}

} // namespace

TensorBoard::TensorBoard(const RunDirectory &run, Page page, Stagger histograms)
    : run_(run), page_(std::move(page)), histograms_(histograms),
      train_(run.sharedWriter("train")) {}

Wants TensorBoard::wants(Epoch epoch) const {
  return histograms_.isDue(epoch) ? kWantsWeights : Wants();
}

void TensorBoard::trainBegin() {
  if (run_.isResumed()) // the graph is in the file of the first start
    return;
  train_->graph(describeGraph(page_.model, page_.batchSize));
  train_->layers(describeLayers(page_.model));
}

void TensorBoard::epochEnd(const EpochResult &result) {
  writeMetrics(*train_, result.epoch, result.training);
  train_->scalar(summary::Tag("epoch_learning_rate"),
                 summary::Step(result.epoch.index()),
                 float(result.learningRate));
  if (!result.validation.empty()) {
    if (!validation_)
      validation_ = run_.sharedWriter("validation");
    writeMetrics(*validation_, result.epoch, result.validation);
  }
  if (histograms_.isDue(result.epoch))
    for (const WeightValues &weight : *result.weights)
      train_->histogram(summary::Tag(weight.name + "/histogram"),
                        summary::Step(result.epoch.index()), weight.values);
  train_->flushIfDue();
}

} // namespace popscope::host
