// Variables of several types, and random views of their elements.
#pragma once

#include <poplar/Graph.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace poplibstest {

class RandomViews {
public:
  using Shape = std::vector<std::size_t>;

  RandomViews(poplar::Graph &graph, unsigned seed)
      : graph_(graph), random_(seed) {}

  // Choices that do not depend on the standard library.
  std::size_t below(std::size_t count) { return random_() % count; }
  bool oneIn(std::size_t count) { return below(count) == 0; }

  poplar::Tensor addVariable(const poplar::Type &type, const Shape &shape) {
    const poplar::Tensor t = graph_.addVariable(type, shape);
    poputil::mapTensorLinearly(graph_, t);
    return t;
  }
  // Adds a tensor that views may be made of.
  void add(const poplar::Tensor &t) {
    if (t.numElements() != 0)
      tensors_[t.elementType().toString()].push_back(t);
  }

  Shape shape(std::size_t maxRank) {
    Shape result;
    const std::size_t rank = 1 + below(maxRank);
    const std::size_t longest = rank == 1 ? (oneIn(8) ? 40000 : 60) : 24 / rank;
    for (std::size_t d = 0; d < rank; ++d)
      result.push_back(1 + below(longest));
    return result;
  }
  Shape broadcastableTo(Shape result) {
    for (std::size_t &size : result)
      if (oneIn(3))
        size = 1;
    if (result.size() > 1 && oneIn(4))
      result.erase(result.begin());
    return result;
  }

  // A view for reading: elements may repeat.
  poplar::Tensor view(const poplar::Type &type, const Shape &shape) {
    const std::size_t count = product(shape);
    poplar::Tensor flat = twist(pick(type), false);
    while (flat.numElements() < count && !oneIn(5))
      flat = concat(flat, twist(pick(type), false));
    return fit(flat, shape);
  }
  // A view for writing.
  poplar::Tensor target(const poplar::Type &type, const Shape &shape) {
    const std::size_t count = product(shape);
    for (int i = 0; i < 6; ++i) {
      const poplar::Tensor flat = twist(pick(type), true);
      if (flat.numElements() >= count)
        return fit(flat, shape);
    }
    const poplar::Tensor t = addVariable(type, shape);
    add(t);
    return t;
  }
  // A view for reading, mostly of elements of `t`.
  poplar::Tensor viewOf(const poplar::Tensor &t, const Shape &shape) {
    return fit(twist(t, false), shape);
  }

private:
  static std::size_t product(const Shape &shape) {
    return std::accumulate(shape.begin(), shape.end(), std::size_t(1),
                           std::multiplies<std::size_t>());
  }

  const poplar::Tensor &pick(const poplar::Type &type) {
    const std::vector<poplar::Tensor> &all = tensors_.at(type.toString());
    return all[below(all.size())];
  }

  // A vector of some or all elements in another order.
  poplar::Tensor twist(poplar::Tensor t, bool isInjective) {
    for (std::size_t step = below(4); step > 0; --step) {
      const auto n = static_cast<unsigned>(t.numElements());
      switch (below(isInjective ? 4 : 6)) {
      case 0:
        for (const unsigned rows : {7u, 5u, 4u, 3u, 2u})
          if (n % rows == 0 && n > rows) {
            t = t.flatten().reshape({rows, n / rows}).transpose();
            break;
          }
        break;
      case 1:
        if (t.rank() > 0)
          t = t.reverse(static_cast<unsigned>(below(t.rank())));
        break;
      case 2: {
        const std::size_t begin = below(n);
        t = t.flatten().slice(begin, begin + 1 + below(n - begin));
        break;
      }
      case 3: {
        const std::size_t cut = below(n);
        t = concat(t.flatten().slice(cut, n), t.flatten().slice(0, cut));
        break;
      }
      case 4:
        t = t.flatten().slice(0, 1 + below(n)).expand({0}).broadcast(3, 0);
        if (oneIn(2))
          t = t.transpose();
        break;
      case 5:
        t = t.flatten().subSample(2, 0);
        break;
      }
    }
    return t.flatten();
  }

  // As many elements as the shape has, repeated if there are too few.
  poplar::Tensor fit(poplar::Tensor flat, const Shape &shape) {
    const std::size_t count = product(shape);
    if (flat.numElements() < count)
      flat = flat.broadcast(
          static_cast<unsigned>(count / flat.numElements() + 1), 0);
    const std::size_t begin = below(flat.numElements() - count + 1);
    flat = flat.slice(begin, begin + count);
    if (shape.size() < 2 || oneIn(2))
      return flat.reshape(shape);
    const Shape reversed(shape.rbegin(), shape.rend());
    std::vector<unsigned> order(shape.size());
    std::iota(order.rbegin(), order.rend(), 0u);
    return flat.reshape(reversed).dimShuffle(order);
  }

  poplar::Graph &graph_;
  std::mt19937 random_;
  std::map<std::string, std::vector<poplar::Tensor>> tensors_; // by type
};

} // namespace poplibstest
