// What a run knows of its health, as popscope.json has it.
#pragma once

#include "outfeed/checks/finding.hpp"
#include "outfeed/health/verdict.hpp"
#include "outfeed/intervention.hpp"
#include "text/json_value.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

// That of an earlier start of the run, as popscope.json has it.
struct EarlierAlarm {
  std::string verdict; // JSON
  std::vector<std::string> lines;
};

struct HealthRecord {
  bool isWatched = false;
  std::size_t tensors = 0; // watched at every update
  bool isFinished = false; // of the run
  std::optional<outfeed::Verdict> verdict;
  std::optional<EarlierAlarm> earlier; // before it, and so the first of the run
  std::string dump = {}; // what was written because of it; may be empty
  // Of checks; absent if there were none.
  std::optional<std::vector<outfeed::Finding>> findings;
  std::vector<outfeed::Intervention> interventions = {};
};

// Of the manifest of a run that goes on with this update: what is not void.
std::optional<EarlierAlarm> earlierAlarm(const text::JsonValue &manifest,
                                         outfeed::Update firstUpdate);

// The lines of a verdict, without "popscope: "; empty if there is none.
std::vector<std::string> verdictLines(const HealthRecord &record);
// These, and a line for each intervention.
std::vector<std::string> linesOf(const HealthRecord &record);
// On one line.
std::string toJson(const HealthRecord &record);
// Those that a popscope.json has. Throws BadInput if it is damaged.
std::vector<outfeed::Intervention>
recordedInterventions(const text::JsonValue &manifest);
// Likewise; none if no checks were made.
std::vector<outfeed::Finding> findingsOf(const text::JsonValue &manifest);

} // namespace popscope::host
