// What flows while a model trains: batches in, losses and answers out.
#pragma once

#include "host/data/batch_feed.hpp"
#include "host/metrics/metrics.hpp"
#include "host/train/model/model_engine.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace popscope::host {

// Connects itself to the engine and outlives its runs. The engine's callbacks
// run during ModelEngine::train(); everything else is for between runs.
class TrainingStreams {
public:
  // Replica r of all trains on batches firstBatch + r, firstBatch + replicas +
  // r, ... This instance feeds its own.
  TrainingStreams(ModelEngine &model, const Dataset &set,
                  const BatchOrder &order, std::uint64_t firstBatch,
                  MetricChoice metrics);

  // By all instances after a run: the first one learns what the others have
  // measured.
  void collect();

  // What follows is of all replicas, in the first instance, and as of the last
  // collect().

  // Over all batches since the last reset.
  MetricValues metrics() const;
  void resetMetrics();

  // For a checkpoint, by replica.
  std::vector<std::vector<double>> metricStates() const;
  void setMetricStates(const std::vector<std::vector<double>> &states);

private:
  // One replica's side. Labels, losses and probabilities of a batch arrive one
  // by one, in any order; a batch is measured when all three are there.
  struct Replica {
    Replica(const Dataset &set, const BatchOrder &order, std::uint64_t first,
            std::uint64_t stride, const MetricSet &empty)
        : feed(set, order, first, stride), metrics(empty) {}

    void measure();

    BatchFeed feed;
    std::mutex mutex; // guards all below
    MetricSet metrics;
    std::vector<unsigned> labels;
    std::vector<float> losses, probabilities;
  };

  void connect(poplar::Engine &engine, unsigned number, std::size_t batch,
               unsigned classes);

  outfeed::Instances &instances_;
  std::vector<std::unique_ptr<Replica>> replicas_; // of this instance
  // Of the replicas of other instances, which follow those of the first one.
  std::vector<MetricSet> elsewhere_;
};

} // namespace popscope::host
