#include "graph/stash.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>

#include <algorithm>

namespace popscope::graph {

Stash::Stash(poplar::Graph &graph, unsigned slots,
             const std::vector<Saved> &saved, const std::string &name)
    : graph_(graph), slots_(slots), name_(name), saved_(saved),
      putCursor_(addCursor("put", 0)),
      takeCursor_(addCursor("take", slots - 1)) {
  for (const Saved &layer : saved)
    for (const poplar::Tensor &tensor : layer)
      if (std::none_of(entries_.begin(), entries_.end(),
                       [&](const Entry &e) { return e.tensor == tensor; }))
        entries_.push_back(makeEntry(tensor));
}

// Slots and copies have the layout of the tensor, so copies run in memory
// order, nothing moves between tiles, and sums over a copy add in the same
// order as sums over the tensor. The batch stays a dimension, so that an engine
// may copy image by image while it runs the layers before or after.
Stash::Entry Stash::makeEntry(const poplar::Tensor &tensor) {
  const std::string number = std::to_string(entries_.size());
  Entry entry;
  entry.tensor = tensor;
  entry.taken = graph_.clone(tensor, {label("taken") + number});
  entry.from = tensor.flatten();
  entry.to = entry.taken.flatten();
  graph_.reorderToSimplify(&entry.from, {&entry.to});
  const std::size_t batch = tensor.dim(0);
  const std::size_t rest = tensor.numElements() / batch;
  entry.from = entry.from.reshape({batch, rest});
  entry.to = entry.to.reshape({batch, rest});
  entry.slots = graph_.addVariable(tensor.elementType(), {slots_, batch, rest},
                                   {label("slots") + number});
  for (unsigned slot = 0; slot < slots_; ++slot)
    graph_.setTileMapping(entry.slots[slot], graph_.getTileMapping(entry.from));
  return entry;
}

poplar::Tensor Stash::addCursor(const char *part, unsigned slot) {
  const poplar::Tensor cursor =
      graph_.addVariable(poplar::UNSIGNED_INT, {1}, {label(part)});
  graph_.setTileMapping(cursor, 0);
  graph_.setInitialValue(cursor, slot);
  return cursor;
}

void Stash::addAdvance(const poplar::Tensor &cursor,
                       poplar::program::Sequence &prog) {
  using namespace popops::expr;
  popops::mapInPlace(graph_, (_1 + Const(1u)) % Const(slots_), {cursor}, prog,
                     {label("advance")});
}

void Stash::addPut(poplar::program::Sequence &prog) {
  for (const Entry &entry : entries_)
    popops::dynamicUpdate(graph_, entry.slots, entry.from.expand({0}),
                          putCursor_, {0}, {1}, prog, {label("put")});
  addAdvance(putCursor_, prog);
}

void Stash::addTurn(poplar::program::Sequence &prog) {
  addAdvance(takeCursor_, prog);
}

Saved Stash::addTake(std::size_t layer, poplar::program::Sequence &prog) {
  // The cursor is always in range. This option tells the engine that the copy
  // always writes its whole result.
  static const poplar::OptionFlags options{{"remapOutOfBoundIndices", "true"}};
  Saved result;
  for (const poplar::Tensor &tensor : saved_[layer]) {
    Entry &entry = entryOf(tensor);
    if (!entry.isTaken)
      popops::dynamicSliceWithOutput(graph_, entry.to.expand({0}), entry.slots,
                                     takeCursor_, {0}, {1}, prog,
                                     {label("take")}, options);
    entry.isTaken = true;
    result.push_back(entry.taken);
  }
  return result;
}

Stash::Entry &Stash::entryOf(const poplar::Tensor &tensor) {
  return *std::find_if(entries_.begin(), entries_.end(),
                       [&](const Entry &e) { return e.tensor == tensor; });
}

} // namespace popscope::graph
