// Keeps what backward needs of the micro-batches that are still on their way
// through later stages.
#pragma once

#include "graph/layer.hpp"

#include <vector>

namespace popscope::graph {

// First in, first out; as many are taken as put in every weight update.
class Stash {
public:
  Stash(poplar::Graph &graph, unsigned slots, const std::vector<Saved> &saved);

  // Appends a copy of the tensors to the next free slot.
  void addPut(poplar::program::Sequence &prog);
  // Appends a copy of the oldest slot and returns it.
  std::vector<Saved> addTake(poplar::program::Sequence &prog);

private:
  struct Entry {
    poplar::Tensor tensor;
    poplar::Tensor taken;    // a copy of an earlier one
    poplar::Tensor from, to; // both, flat and in the order of memory
    poplar::Tensor slots;    // [slots, elements]
  };

  Entry makeEntry(const poplar::Tensor &tensor);
  poplar::Tensor addCursor(const char *name);
  void addAdvance(const poplar::Tensor &cursor,
                  poplar::program::Sequence &prog);
  const Entry &entryOf(const poplar::Tensor &tensor) const;

  poplar::Graph &graph_;
  unsigned slots_;
  std::vector<Saved> saved_;
  std::vector<Entry> entries_; // one for tensors that are saved twice
  poplar::Tensor putCursor_;
  poplar::Tensor takeCursor_;
};

} // namespace popscope::graph
