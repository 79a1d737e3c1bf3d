// What is to change about the taps of a running program, and how they stand.
#pragma once

#include "outfeed/intervention.hpp"
#include "outfeed/rules/tap_rule.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace popscope::outfeed {

// The lists are filters of the rules' language. They are applied in this order:
// what is named twice is as the last list says.
struct ControlRequest {
  std::vector<std::string> enable;
  std::vector<std::string> disable;
  std::vector<std::string> dump; // the whole tensor, at one update
  bool everythingOnce = false;   // all taps, each tensor by its largest payload
  // Of what is enabled:
  std::optional<std::uint32_t> every;
  std::optional<Payload> payload;
  // A condition like the one that is compiled in but for its limits.
  std::optional<std::string> when;

  // Tensors to change, and those to leave alone again.
  struct Intervening {
    std::string filter;
    ElementChange change;
  };
  std::vector<Intervening> interventions;
  std::vector<std::string> cancel;
  std::optional<std::uint32_t> forUpdates; // of interventions; else one

  bool intervenes() const { return !interventions.empty() || !cancel.empty(); }
  bool changesNothing() const {
    return enable.empty() && disable.empty() && dump.empty() &&
           !everythingOnce && !intervenes();
  }
};

// A change, as the log has it.
struct ControlNote {
  Update update; // the first one it holds for
  std::string text;
  bool isIntervention = false; // one begins or ends
};

// A tensor that rules named.
struct ControlStatus {
  std::string tensor;
  std::string moment;
  std::vector<std::string> payloads; // compiled in
  std::string payload;               // in use
  bool isOn = false;
  std::string schedule;
  std::string when;       // the condition, if it has one
  std::uint64_t sent = 0; // updates at which it was due
};

// A tensor that may be changed.
struct InterventionStatus {
  std::string tensor;
  std::string moment;
  std::string change; // what is done to it from the next update on, if anything
  std::uint64_t updatesLeft = 0;
};

struct ControlReply {
  std::string refusal; // if it is not empty, nothing has changed
  // At which the changes took effect; without changes, the last that began.
  std::optional<Update> update;
  std::vector<std::string> changes;
  std::vector<ControlStatus> status;
  std::vector<InterventionStatus> interventions;
};

// Throws: the request cannot be met.
[[noreturn]] inline void refuseRequest(const std::string &reason) {
  throw std::invalid_argument("[outfeed] " + reason);
}

} // namespace popscope::outfeed
