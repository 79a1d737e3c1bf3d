#include "graph/stash.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <poputil/Util.hpp>

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
        // Every slot lies as the tensor does: nothing moves between tiles, and
        // sums over what is taken have the order of sums over the tensor.
        entries_.push_back(
            {tensor, poputil::cloneN(graph, tensor, slots, {"stash"})});
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
    popops::dynamicUpdate(graph_, entry.slots, entry.tensor.expand({0}),
                          putCursor_, {0}, {1}, prog, {"stash/put"});
  addAdvance(putCursor_, prog);
}

std::vector<Saved> Stash::addTake(poplar::program::Sequence &prog) {
  std::vector<poplar::Tensor> taken;
  for (const Entry &entry : entries_) {
    taken.push_back(graph_.clone(entry.tensor, {"stash/taken"}));
    popops::dynamicSliceWithOutput(graph_, taken.back().expand({0}),
                                   entry.slots, takeCursor_, {0}, {1}, prog,
                                   {"stash/take"});
  }
  addAdvance(takeCursor_, prog);
  std::vector<Saved> result = saved_;
  for (Saved &layer : result)
    for (poplar::Tensor &tensor : layer)
      tensor = taken[std::size_t(&entryOf(tensor) - entries_.data())];
  return result;
}

Stash::Entry &Stash::entryOf(const poplar::Tensor &tensor) {
  return *std::find_if(entries_.begin(), entries_.end(),
                       [&](const Entry &e) { return e.tensor == tensor; });
}

} // namespace popscope::graph
