#include "poplar/graph/tensor_checks.hpp"

#include <poplar/Graph.hpp>

#include <algorithm>

namespace poplar {

using ipumodel::describe;
using ipumodel::prefixOf;
using ipumodel::TensorData;

namespace {

// The new position of an interval when its tensor is rearranged.
struct Move {
  std::size_t from, to, count;
};

std::vector<Interval> apply(std::vector<Move> moves,
                            ArrayRef<Interval> intervals) {
  std::sort(moves.begin(), moves.end(),
            [](const Move &a, const Move &b) { return a.from < b.from; });
  std::vector<Interval> result;
  for (const Interval &interval : intervals) {
    auto move = std::upper_bound(
        moves.begin(), moves.end(), interval.begin(),
        [](std::size_t at, const Move &m) { return at < m.from; });
    for (std::size_t at = interval.begin(); at < interval.end();) {
      const Move &m = *std::prev(move++);
      const std::size_t skipped = at - m.from;
      const std::size_t count =
          std::min(interval.end() - at, m.count - skipped);
      result.emplace_back(m.to + skipped, m.to + skipped + count);
      at += count;
    }
  }
  return result;
}

std::vector<Move> movesOf(const std::vector<Interval> &order) {
  std::vector<Move> moves;
  std::size_t position = 0;
  for (const Interval &interval : order) {
    moves.push_back({interval.begin(), position, interval.size()});
    position += interval.size();
  }
  return moves;
}

std::vector<Move> inverse(std::vector<Move> moves) {
  for (Move &move : moves)
    std::swap(move.from, move.to);
  return moves;
}

std::size_t sizeOf(const std::vector<Interval> &order) {
  std::size_t size = 0;
  for (const Interval &interval : order)
    size += interval.size();
  return size;
}

Tensor inOrder(const Tensor &t, const std::vector<Interval> &order) {
  return concat(t.flatten().slices(order));
}

void checkSize(const Tensor &t, const std::vector<Interval> &order,
               const char *use) {
  const TensorData &data = ipumodel::dataOf(t, use);
  if (data.view.numElements() != sizeOf(order))
    throw poplar_error(prefixOf(data) + use + ": made for " +
                       std::to_string(sizeOf(order)) +
                       " elements, not for tensor " + describe(data));
}

} // namespace

Tensor TensorRearranger::rearrange(const Tensor &t) const {
  checkSize(t, order_, "TensorRearranger::rearrange");
  return valid() ? inOrder(t, order_) : t.flatten();
}

Tensor TensorRearranger::undoRearrangement(const Tensor &t) const {
  checkSize(t, order_, "TensorRearranger::undoRearrangement");
  const Interval whole(0, sizeOf(order_));
  return valid() ? inOrder(t, rearrange({whole})) : t.flatten();
}

std::vector<Interval>
TensorRearranger::rearrange(ArrayRef<Interval> intervals) const {
  return apply(movesOf(order_), intervals);
}

std::vector<Interval>
TensorRearranger::undoRearrangement(ArrayRef<Interval> intervals) const {
  return apply(inverse(movesOf(order_)), intervals);
}

} // namespace poplar
