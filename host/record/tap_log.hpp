// What a run has written of its tapped tensors, read back for checks.
#pragma once

#include "host/plan/training_plan.hpp"
#include "outfeed/checks/check_set.hpp"
#include "text/json_value.hpp"

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace popscope::host {

// Of a training that is about to begin; its tensors are not known yet.
outfeed::ProgramFacts programFacts(const TrainingPlan &plan);
// Of popscope.json. Throws BadInput, naming the run, if that does not list the
// tensors.
outfeed::ProgramFacts programFacts(const text::JsonValue &manifest,
                                   const std::string &run);

// Makes the checks on all updates before `end` that the event files of a run
// have. Returns a line for each file that is damaged.
std::vector<std::string>
checkLog(const std::filesystem::path &run, const outfeed::ProgramFacts &facts,
         outfeed::CheckSet &checks,
         outfeed::Update end =
             outfeed::Update(std::numeric_limits<std::uint32_t>::max()));

} // namespace popscope::host
