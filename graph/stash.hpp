// Keeps what backward needs of the micro-batches that are still on their way
// through later stages.
#pragma once

#include "graph/layers/layer.hpp"

#include <vector>

namespace popscope::graph {

// First in, first out; as many are taken as put in every weight update.
class Stash {
public:
  Stash(poplar::Graph &graph, unsigned slots, const std::vector<Saved> &saved);

  // Appends a copy of the tensors to the next free slot.
  void addPut(poplar::program::Sequence &prog);
  // Appends the turn to the oldest slot.
  void addTurn(poplar::program::Sequence &prog);
  // Appends a copy of what that slot has of a layer and returns it. What other
  // layers saved too is copied once.
  Saved addTake(std::size_t layer, poplar::program::Sequence &prog);

private:
  struct Entry {
    poplar::Tensor tensor;
    poplar::Tensor taken;    // a copy of an earlier one
    poplar::Tensor from, to; // both, [batch, rest] in the order of memory
    poplar::Tensor slots;    // [slots, batch, rest]
    bool isTaken = false;
  };

  Entry makeEntry(const poplar::Tensor &tensor);
  poplar::Tensor addCursor(const char *name, unsigned slot);
  void addAdvance(const poplar::Tensor &cursor,
                  poplar::program::Sequence &prog);
  Entry &entryOf(const poplar::Tensor &tensor);

  poplar::Graph &graph_;
  unsigned slots_;
  std::vector<Saved> saved_;
  std::vector<Entry> entries_; // one for tensors that are saved twice
  poplar::Tensor putCursor_;   // the next to be filled
  poplar::Tensor takeCursor_;  // the last that was turned to
};

} // namespace popscope::graph
