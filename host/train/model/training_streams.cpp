#include "host/train/model/training_streams.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace popscope::host {

namespace {

template <class T>
void append(std::vector<T> &to, const void *from, std::size_t count) {
  const T *values = static_cast<const T *>(from);
  to.insert(to.end(), values, values + count);
}

template <class T> void dropFront(std::vector<T> &from, std::size_t count) {
  from.erase(from.begin(), from.begin() + std::ptrdiff_t(count));
}

} // namespace

TrainingStreams::TrainingStreams(ModelEngine &model, const Dataset &set,
                                 const BatchOrder &order,
                                 std::uint64_t firstBatch, MetricChoice metrics)
    : instances_(model.instances()) {
  const MetricSet empty(model.classes(), metrics);
  const outfeed::ReplicaSlice &slice = instances_.slice();
  for (unsigned r = 0; r < slice.localReplicas(); ++r) {
    replicas_.push_back(std::make_unique<Replica>(
        set, order, firstBatch + slice.firstReplica() + r, slice.replicas,
        empty));
    connect(model.engine(), r, order.batchSize(), model.classes());
  }
  if (slice.isFirst())
    elsewhere_.assign(slice.replicas - slice.localReplicas(), empty);
}

void TrainingStreams::connect(poplar::Engine &engine, unsigned number,
                              std::size_t batch, unsigned classes) {
  Replica &replica = *replicas_[number];
  const auto arrived = [&replica](auto &list, const void *p,
                                  std::size_t count) {
    const std::lock_guard<std::mutex> lock(replica.mutex);
    append(list, p, count);
    replica.measure();
  };
  engine.connectStreamToCallback(
      graph::streams::kTrainImages, number, [&replica](void *p) {
        replica.feed.takeImages(static_cast<float *>(p));
      });
  engine.connectStreamToCallback(graph::streams::kTrainLabels, number,
                                 [&replica, arrived, batch](void *p) {
                                   replica.feed.takeLabels(
                                       static_cast<unsigned *>(p));
                                   arrived(replica.labels, p, batch);
                                 });
  engine.connectStreamToCallback(graph::streams::kTrainLosses, number,
                                 [&replica, arrived, batch](void *p) {
                                   arrived(replica.losses, p, batch);
                                 });
  engine.connectStreamToCallback(graph::streams::kTrainProbabilities, number,
                                 [&replica, arrived, batch, classes](void *p) {
                                   arrived(replica.probabilities, p,
                                           batch * classes);
                                 });
}

void TrainingStreams::Replica::measure() {
  // All three counted in images.
  const std::size_t classes = metrics.classes();
  const std::size_t complete =
      std::min({labels.size(), losses.size(), probabilities.size() / classes});
  if (complete == 0)
    return;
  metrics.add(probabilities.data(), labels.data(), complete, losses.data());
  dropFront(labels, complete);
  dropFront(losses, complete);
  dropFront(probabilities, complete * classes);
}

void TrainingStreams::collect() {
  if (!instances_.slice().isSplit())
    return;
  std::string here;
  for (const auto &replica : replicas_)
    for (const double number : replica->metrics.state())
      here.append(reinterpret_cast<const char *>(&number), sizeof number);
  const std::vector<std::string> all = instances_.gather(here, "metrics");
  if (all.empty())
    return;
  // All sets measure the same, so their states have the same size.
  std::vector<double> state(here.size() / replicas_.size() / sizeof(double));
  const std::size_t bytes = state.size() * sizeof(double);
  for (std::size_t r = 0; r < elsewhere_.size(); ++r) {
    std::memcpy(state.data(),
                all[1 + r / replicas_.size()].data() +
                    r % replicas_.size() * bytes,
                bytes);
    elsewhere_[r].setState(state);
  }
}

MetricValues TrainingStreams::metrics() const {
  MetricSet all = replicas_.front()->metrics;
  for (std::size_t r = 1; r < replicas_.size(); ++r)
    all.merge(replicas_[r]->metrics);
  for (const MetricSet &other : elsewhere_)
    all.merge(other);
  return all.values();
}

void TrainingStreams::resetMetrics() {
  for (const auto &replica : replicas_)
    replica->metrics.reset();
  for (MetricSet &other : elsewhere_)
    other.reset();
}

std::vector<std::vector<double>> TrainingStreams::metricStates() const {
  std::vector<std::vector<double>> states;
  for (const auto &replica : replicas_)
    states.push_back(replica->metrics.state());
  for (const MetricSet &other : elsewhere_)
    states.push_back(other.state());
  return states;
}

void TrainingStreams::setMetricStates(
    const std::vector<std::vector<double>> &states) {
  const outfeed::ReplicaSlice &slice = instances_.slice();
  if (states.size() != slice.replicas)
    throw std::invalid_argument("[host] metrics of another number of replicas");
  for (std::size_t r = 0; r < replicas_.size(); ++r)
    replicas_[r]->metrics.setState(states[slice.firstReplica() + r]);
  for (std::size_t r = 0; r < elsewhere_.size(); ++r)
    elsewhere_[r].setState(states[replicas_.size() + r]);
}

} // namespace popscope::host
