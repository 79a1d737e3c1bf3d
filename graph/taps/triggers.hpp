// Taps that send only where a condition holds, decided on the device.
#pragma once

#include "codelets/condition.hpp"

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <string>
#include <vector>

namespace popscope::graph {

struct Trigger {
  poplar::Tensor row; // UNSIGNED_INT [rowWords(tier)]
  StatsTier tier = StatsTier::stats;
  unsigned elements = 0; // of the tensor that the row is of
  std::vector<ConditionTerm> terms;
  std::vector<float> limits; // per term
  // From the update on in which the condition holds; 0: only where it holds.
  unsigned forUpdates = 0;
};

// Per trigger, in their order.
struct Triggered {
  poplar::Tensor sends;    // UNSIGNED_INT [triggers], 0 or 1
  poplar::Tensor any;      // UNSIGNED_INT scalar
  poplar::Tensor evidence; // UNSIGNED_INT [triggers, kEvidenceWords]
  poplar::Tensor limits;   // FLOAT, those of all triggers, which may be changed
};

// Where and how they are judged.
struct TriggerPlace {
  poplar::Tensor execution; // UNSIGNED_INT scalar: those of the program so far
  unsigned executionsPerUpdate = 1;
  unsigned tile = 0;
  // The host may write all limits, one after the other, by this name.
  std::string limitsHandle;
  // The recorder that a firing stops; may be empty.
  poplar::Tensor recorderLastUpdate = {};
};

// One vertex judges the rows of all triggers and one decides what is sent. In a
// replicated graph, where the condition of a trigger holds in one replica it
// holds in all, so that their control flow agrees.
Triggered addTriggers(poplar::Graph &graph,
                      const std::vector<Trigger> &triggers,
                      const TriggerPlace &place,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});

// The bits of `words`, UNSIGNED_INT [n], as elements of `type`: FLOAT, HALF,
// INT or UNSIGNED_INT.
poplar::Tensor addWordsAs(poplar::Graph &graph, const poplar::Tensor &words,
                          const poplar::Type &type, unsigned tile,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
