// What ran and how it went, in words for TensorBoard's Text page.
#pragma once

#include "host/data/dataset.hpp"
#include "host/plan/training_plan.hpp"
#include "host/record/health_record.hpp"
#include "outfeed/sinks/health_count.hpp"

#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

struct RunDescription {
  const TrainingPlan &plan;
  const TrainingData &data;
  std::string dataDirectory;
  std::string device; // in words
  std::vector<std::string> commandLine;
};
// Markdown: the command, data, device, versions and a table of the layers.
std::string describeRun(const RunDescription &run);

enum class RunEnding { completed, interrupted, failed };

struct RunHealth {
  RunEnding ending = RunEnding::completed;
  std::string place;          // "after epoch 3 of 10"
  std::optional<double> loss; // of the training set, in the last epoch
  HealthRecord record = {};   // of all tensors
  // Of every tapped tensor; absent if nothing was tapped.
  std::optional<std::vector<outfeed::HealthCount::Row>> tensors = {};
};
// Markdown: how the training ended, which tensor was not finite first, and
// every tapped tensor that had elements which are not ordinary numbers.
std::string describeHealth(const RunHealth &health);

} // namespace popscope::host
