// What is tapped in a training besides what its preset taps, and where the
// samples go.
#pragma once

#include "outfeed/rules/update_schedule.hpp"
#include "outfeed/sinks/bad_tensor_dump.hpp"

#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

// What happens when an element of a tensor is not finite.
enum class OnAlarm { warn, dump, stop };

// Both ends are included.
struct UpdateSpan {
  outfeed::Update first, last;
};

struct InspectionOptions {
  std::vector<std::string> rules;
  std::optional<UpdateSpan> span; // the rules are due at no other update
  bool watch = false;
  std::string json;      // a file, or "-" for standard output; empty: none
  bool debugger = false; // the files of TensorBoard's page Debugger V2
  bool keepApart = false;
  bool mergeReplicas = false; // their statistics, on the device
  bool dropFrames = false;
  std::string checks; // a file, or "default"; empty: none
  bool noHealth = false;
  bool noControl = false; // taps cannot be turned on and off
  OnAlarm onAlarm = OnAlarm::warn;
  std::optional<outfeed::DumpBudget> dumpBudget;
  std::optional<double> budget; // the share of time that rules may cost
  std::vector<std::string> infinitiesIntended; // filters
  std::vector<std::string> faults;             // to inject
  std::vector<std::string> interventions;      // filters: what may be changed
  unsigned recorderUpdates = 0;                // 0: no flight recorder

  // Then everything else that is printed goes to standard error, in plain
  // lines: both may be the same terminal.
  bool jsonToStdout() const { return json == "-"; }
};

} // namespace popscope::host
