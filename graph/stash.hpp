// Stores what the backward pass needs of micro-batches that are still in later
// stages.
#pragma once

#include "graph/layers/layer.hpp"

#include <string>
#include <vector>

namespace popscope::graph {

// A queue. Every update takes out as many micro-batches as it puts in.
class Stash {
public:
  // `name` begins the names of its programs and tensors.
  Stash(poplar::Graph &graph, unsigned slots, const std::vector<Saved> &saved,
        const std::string &name);

  // Appends a copy of the saved tensors into the next free slot.
  void addPut(poplar::program::Sequence &prog);
  // Appends an advance to the oldest slot; before the addTake of its layers.
  void addTurn(poplar::program::Sequence &prog);
  // Appends a copy of what that slot holds for a layer, and returns the copy. A
  // tensor that several layers saved is copied once.
  Saved addTake(std::size_t layer, poplar::program::Sequence &prog);

private:
  struct Entry {
    poplar::Tensor tensor;
    poplar::Tensor taken;    // the copy that addTake returns
    poplar::Tensor from, to; // both as [batch, rest], in memory order
    poplar::Tensor slots;    // [slots, batch, rest]
    bool isTaken = false;
  };

  Entry makeEntry(const poplar::Tensor &tensor);
  poplar::Tensor addCursor(const char *part, unsigned slot);
  std::string label(const char *part) const { return name_ + "/" + part; }
  void addAdvance(const poplar::Tensor &cursor,
                  poplar::program::Sequence &prog);
  Entry &entryOf(const poplar::Tensor &tensor);

  poplar::Graph &graph_;
  unsigned slots_;
  std::string name_;
  std::vector<Saved> saved_;
  std::vector<Entry> entries_; // one for a tensor that two layers saved
  poplar::Tensor putCursor_;   // the slot that is filled next
  poplar::Tensor takeCursor_;  // the slot that is taken from
};

} // namespace popscope::graph
