// A queue of named tensors that the device fills and the host reads at the end
// of an epoch, for programs that are built layer by layer:
//
//   OutfeedQueue queue("Activations", {"Dense_128"});
//   MaybeOutfeed(queue, "Dense_128_acts")(graph, x, prog);
//   MaybeOutfeed(queue, "Dense_10_acts", GroupMember::final)(graph, y, prog);
//   ... queue.connect(engine); ... runs of an epoch ...
//   queue.epochEnd(std::cout, epoch);
//
// What crosses are statistics; the tensors stay on the device.
#pragma once

#include "outfeed/sinks/epoch_table.hpp"
#include "outfeed/tap_session.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace popscope::outfeed {

class OutfeedQueue {
public:
  // Holds tensors whose name contains one of the filters; all if there is no
  // filter. A filter may match nothing, unlike a rule. The queue outlives the
  // engine. Queues that share a graph need different titles, which are the
  // names of their sessions too.
  explicit OutfeedQueue(std::string title,
                        std::vector<std::string> filters = {},
                        const TapOptions &options = {});

  // The program so far has completed this tensor.
  void enqueue(poplar::Graph &graph, poplar::program::Sequence &prog,
               const graph::TapPoint &point);
  // What was enqueued since the last call is sent to the host here, in one
  // transfer each time the program runs.
  void endGroup(poplar::Graph &graph, poplar::program::Sequence &prog,
                graph::TapMoment moment);

  // Before the first run. Throws std::logic_error if a group was not ended.
  void connect(poplar::Engine &engine);
  // Between runs: prints what was enqueued in this epoch, counted from 1, and
  // starts the next.
  void epochEnd(std::ostream &out, unsigned epoch);

  // For further sinks.
  TapSession &session() { return session_; }

private:
  bool holds(const std::string &name) const;

  const std::vector<std::string> filters_;
  TapSession session_;
  EpochTable *table_; // the session's
};

} // namespace popscope::outfeed
