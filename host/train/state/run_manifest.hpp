// popscope.json: what ran.
#pragma once

#include "host/data/dataset.hpp"
#include "host/plan/training_plan.hpp"
#include "host/record/health_record.hpp"
#include "host/record/watch_cost.hpp"
#include "host/run/run_directory.hpp"
#include "host/train/model/model_engine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

struct RunFacts {
  const TrainingPlan &plan;
  const TrainingData &data;
  const ModelEngine &model;
  std::string device; // in words
  std::vector<std::string> commandLine;
  HealthRecord health;
  // All that could be tapped, in the order of the program.
  std::vector<outfeed::TensorTraits> tensors = {};
  // Of a training that was watched and has ended.
  std::optional<WatchCost> cost = std::nullopt;
};

// Written aside and renamed. If it cannot be, the run's report says so.
void writeManifest(const RunDirectory &run, const RunFacts &facts);

} // namespace popscope::host
