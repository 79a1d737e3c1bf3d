// What a training prints before it begins and after it has ended.
#pragma once

#include "host/counts.hpp"
#include "host/data/dataset.hpp"
#include "host/metrics/metrics.hpp"
#include "host/plan/training_plan.hpp"
#include "host/train/trainer.hpp"
#include "outfeed/instances.hpp"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace popscope::host {

// "after epoch 3 of 10", "in epoch 4 of 10, after 20 of 400 batches".
std::string placeOf(Batches done, const TrainingPlan &plan);

// The command that goes on with the run in this directory, in as many
// instances. It works where `commandLine` did.
std::string resumeCommand(const std::vector<std::string> &commandLine,
                          const std::string &run,
                          const outfeed::ReplicaSlice &slice);

// The command that makes a page of the run; it works where `commandLine` did.
std::string reportCommand(const std::vector<std::string> &commandLine,
                          const std::string &run);

struct Introduction {
  const TrainingPlan &plan;
  const TrainingData &data;
  std::string device;              // in words
  std::string log;                 // the run's directory
  std::optional<Batches> resumeAt; // done by an earlier start
  std::vector<std::string> faults; // to be injected
  // What a resumed training does otherwise than before, in words.
  std::vector<std::string> changes = {};
};
void printIntroduction(std::ostream &out, const Introduction &introduction);

// A column per set, each with the epoch that it is of. Below the table, why a
// set has no column. `columns` are those of the terminal.
struct Results {
  std::optional<EpochMetrics> training, validation;
  MetricValues test; // after the last epoch
};
void printResults(std::ostream &out, const TrainingPlan &plan,
                  const Results &results,
                  std::size_t columns = std::string::npos);

} // namespace popscope::host
