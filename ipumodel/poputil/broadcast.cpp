#include <poputil/Broadcast.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <string>

namespace poputil {

using poplar::Tensor;

namespace {

using Shape = std::vector<std::size_t>;

Tensor expandToRank(const Tensor &t, std::size_t rank) {
  return t.rank() < rank ? t.expand(Shape(rank - t.rank(), 0)) : t;
}

bool match(std::size_t a, std::size_t b) { return a == b || a == 1 || b == 1; }

std::size_t commonSize(std::size_t a, std::size_t b) { return a == 1 ? b : a; }

// The shape that both are broadcast to.
Shape commonShape(const Tensor &a, const Tensor &b) {
  Shape shape;
  for (unsigned d = 0; d < a.rank(); ++d) {
    if (!match(a.dim(d), b.dim(d)))
      throw poplibs_error("Cannot broadcast " + a.shapeToString() + " and " +
                          b.shapeToString() + " to match in dimension " +
                          std::to_string(d));
    shape.push_back(commonSize(a.dim(d), b.dim(d)));
  }
  return shape;
}

} // namespace

void expandToMatchRanks(Tensor &a, Tensor &b) {
  const auto rank = std::max(a.rank(), b.rank());
  a = expandToRank(a, rank);
  b = expandToRank(b, rank);
}

void broadcastToMatch(Tensor &a, const Shape &shape) {
  if (a.rank() > shape.size())
    throw poplibs_error("Cannot broadcast " + a.shapeToString() +
                        " to match a shape of " + std::to_string(shape.size()) +
                        " dimensions");
  Tensor t = expandToRank(a, shape.size());
  for (unsigned d = 0; d < shape.size(); ++d) {
    if (t.dim(d) == shape[d])
      continue;
    if (t.dim(d) != 1)
      throw poplibs_error("Cannot broadcast " + a.shapeToString() +
                          " to size " + std::to_string(shape[d]) +
                          " in dimension " + std::to_string(d));
    t = t.broadcast(shape[d], d);
  }
  a = t;
}

void broadcastToMatch(Tensor &a, Tensor &b) {
  expandToMatchRanks(a, b);
  const Shape shape = commonShape(a, b);
  broadcastToMatch(a, shape);
  broadcastToMatch(b, shape);
}

void broadcastToMatch(Tensor &a, Tensor &b, Tensor &c) {
  broadcastToMatch(a, b);
  broadcastToMatch(b, c);
  broadcastToMatch(a, c);
}

bool canBroadcastToMatch(const Tensor &a, const Tensor &b) {
  const Shape aShape = a.shape(), bShape = b.shape();
  const auto overlap = std::min(aShape.size(), bShape.size());
  return std::equal(aShape.rbegin(), aShape.rbegin() + overlap, bShape.rbegin(),
                    match);
}

} // namespace poputil
