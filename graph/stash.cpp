#include "graph/stash.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>

#include <algorithm>

namespace popscope::graph {

Stash::Stash(poplar::Graph &graph, unsigned slots,
             const std::vector<Saved> &saved)
    : graph_(graph), slots_(slots), saved_(saved),
      putCursor_(addCursor("stash/put")), takeCursor_(addCursor("stash/take")) {
  for (const Saved &layer : saved)
    for (const poplar::Tensor &tensor : layer)
      if (std::none_of(entries_.begin(), entries_.end(),
                       [&](const Entry &e) { return e.tensor == tensor; }))
        entries_.push_back(makeEntry(tensor));
}

// Slots and copies lie as the tensor does: they are copied in the order of
// memory, nothing moves between tiles, and sums over what is taken have the
// order of sums over the tensor.
Stash::Entry Stash::makeEntry(const poplar::Tensor &tensor) {
  Entry entry;
  entry.tensor = tensor;
  entry.taken = graph_.clone(tensor, {"stash/taken"});
  entry.from = tensor.flatten();
  entry.to = entry.taken.flatten();
  graph_.reorderToSimplify(&entry.from, {&entry.to});
  entry.slots = graph_.addVariable(tensor.elementType(),
                                   {slots_, tensor.numElements()}, {"stash"});
  for (unsigned slot = 0; slot < slots_; ++slot)
    graph_.setTileMapping(entry.slots[slot], graph_.getTileMapping(entry.from));
  return entry;
}

poplar::Tensor Stash::addCursor(const char *name) {
  const poplar::Tensor cursor =
      graph_.addVariable(poplar::UNSIGNED_INT, {1}, {name});
  graph_.setTileMapping(cursor, 0);
  graph_.setInitialValue(cursor, 0u);
  return cursor;
}

void Stash::addAdvance(const poplar::Tensor &cursor,
                       poplar::program::Sequence &prog) {
  using namespace popops::expr;
  popops::mapInPlace(graph_, (_1 + Const(1u)) % Const(slots_), {cursor}, prog,
                     {"stash/advance"});
}

void Stash::addPut(poplar::program::Sequence &prog) {
  for (const Entry &entry : entries_)
    popops::dynamicUpdate(graph_, entry.slots, entry.from.expand({0}),
                          putCursor_, {0}, {1}, prog, {"stash/put"});
  addAdvance(putCursor_, prog);
}

std::vector<Saved> Stash::addTake(poplar::program::Sequence &prog) {
  for (const Entry &entry : entries_)
    popops::dynamicSliceWithOutput(graph_, entry.to.expand({0}), entry.slots,
                                   takeCursor_, {0}, {1}, prog, {"stash/take"});
  addAdvance(takeCursor_, prog);
  std::vector<Saved> result = saved_;
  for (Saved &layer : result)
    for (poplar::Tensor &tensor : layer)
      tensor = entryOf(tensor).taken;
  return result;
}

const Stash::Entry &Stash::entryOf(const poplar::Tensor &tensor) const {
  return *std::find_if(entries_.begin(), entries_.end(),
                       [&](const Entry &e) { return e.tensor == tensor; });
}

} // namespace popscope::graph
