// popscope.json: what ran.
#pragma once

#include "host/data/dataset.hpp"
#include "host/plan/training_plan.hpp"
#include "host/record/health_record.hpp"
#include "host/train/model_engine.hpp"

#include <filesystem>
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
};

// Written aside and renamed. Throws std::system_error if it cannot be.
void writeManifest(const std::filesystem::path &file, const RunFacts &facts);

} // namespace popscope::host
