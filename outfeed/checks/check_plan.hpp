// Which checks are made, with which settings and actions.
#pragma once

#include "outfeed/checks/check.hpp"
#include "outfeed/checks/finding.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::outfeed {

struct PlannedCheck {
  std::unique_ptr<Check> check;
  // What is done at the first violation, and, while it goes on, after so many
  // further samples of the tensor each.
  std::vector<CheckAction> actions = {CheckAction::mark};
  double escalateAfter = 20;
  double sampleFor = 50; // updates, of CheckAction::sample

  bool has(CheckAction action) const {
    return std::find(actions.begin(), actions.end(), action) != actions.end();
  }
};

// Every check with its defaults.
std::vector<PlannedCheck> defaultChecks();

// A file of checks is a JSON object. Its keys are the checks to make, in any
// order, its values objects with what differs from the defaults:
//
//   {"dead_relu": {},
//    "spike": {"factor": 5, "tensors": "kind:loss",
//              "actions": ["mark", "stop"], "escalate_after": 3}}
//
// Throws std::invalid_argument that names the key and the nearest one.
std::vector<PlannedCheck> parseChecks(std::string_view json);

// As parseChecks reads it, with every setting.
std::string toJson(const std::vector<PlannedCheck> &checks);

// The tap rules that give the checks what they need in such a program, those
// with the smaller payloads first.
std::vector<TapRule> tapsOf(const std::vector<PlannedCheck> &checks,
                            const ProgramFacts &facts);

} // namespace popscope::outfeed
