// A tensor as a plain list of its elements, to check views against.
#pragma once

#include <poplar/Tensor.hpp>

#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <utility>
#include <vector>

// A variable, and the index of an element in it.
using Element = std::pair<std::uint32_t, std::size_t>;

// The elements of a tensor in row-major order, obtained from its regions.
inline std::vector<Element> elementsOf(const poplar::Tensor &t) {
  std::vector<Element> elements;
  for (const poplar::VariableInterval &region : t.getVarRegions())
    for (std::size_t i = region.interval.begin(); i < region.interval.end();
         ++i)
      elements.emplace_back(region.var.getId(), i);
  return elements;
}

// A shape and its elements; every operation handles each element.
struct ElementModel {
  std::vector<std::size_t> shape;
  std::vector<Element> elements;

  static ElementModel of(const poplar::Tensor &t) {
    return {t.shape(), elementsOf(t)};
  }

  using Index = std::vector<std::size_t>;

  static std::size_t count(const std::vector<std::size_t> &shape) {
    return std::accumulate(shape.begin(), shape.end(), std::size_t(1),
                           std::multiplies<std::size_t>());
  }

  const Element &at(const Index &index) const {
    std::size_t position = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
      position = position * shape[d] + index[d];
    return elements[position];
  }

  // The tensor of the given shape whose element at `index` is this one's at
  // source(index).
  ElementModel gather(std::vector<std::size_t> newShape,
                      const std::function<Index(const Index &)> &source) const {
    ElementModel result{newShape, {}};
    Index index(newShape.size());
    for (std::size_t n = count(newShape); n > 0; --n) {
      result.elements.push_back(at(source(index)));
      for (std::size_t d = index.size(); d-- > 0;) {
        if (++index[d] < newShape[d])
          break;
        index[d] = 0;
      }
    }
    return result;
  }

  ElementModel slice(std::size_t begin, std::size_t end, unsigned dim) const {
    auto newShape = shape;
    newShape[dim] = end - begin;
    return gather(newShape, [&](Index index) {
      index[dim] += begin;
      return index;
    });
  }
  ElementModel reshape(std::vector<std::size_t> newShape) const {
    return {std::move(newShape), elements};
  }
  ElementModel dimShuffle(const std::vector<unsigned> &permutation) const {
    std::vector<std::size_t> newShape;
    for (const unsigned dim : permutation)
      newShape.push_back(shape[dim]);
    return gather(newShape, [&](const Index &index) {
      Index source(index.size());
      for (std::size_t i = 0; i < index.size(); ++i)
        source[permutation[i]] = index[i];
      return source;
    });
  }
  ElementModel broadcast(std::size_t times, unsigned dim) const {
    auto newShape = shape;
    newShape[dim] *= times;
    return gather(newShape, [&](Index index) {
      index[dim] %= shape[dim];
      return index;
    });
  }
  ElementModel reverse(unsigned dim) const {
    return gather(shape, [&](Index index) {
      index[dim] = shape[dim] - 1 - index[dim];
      return index;
    });
  }
  ElementModel subSample(std::size_t stride, unsigned dim) const {
    auto newShape = shape;
    newShape[dim] = (shape[dim] + stride - 1) / stride;
    return gather(newShape, [&](Index index) {
      index[dim] *= stride;
      return index;
    });
  }
  ElementModel upsample(std::size_t scale, unsigned dim) const {
    auto newShape = shape;
    newShape[dim] *= scale;
    return gather(newShape, [&](Index index) {
      index[dim] /= scale;
      return index;
    });
  }
  ElementModel concat(const ElementModel &other, unsigned dim) const {
    auto newShape = shape;
    newShape[dim] += other.shape[dim];
    ElementModel result{newShape, {}};
    Index index(newShape.size());
    for (std::size_t n = count(newShape); n > 0; --n) {
      Index source = index;
      const bool first = index[dim] < shape[dim];
      if (!first)
        source[dim] -= shape[dim];
      result.elements.push_back(first ? at(source) : other.at(source));
      for (std::size_t d = index.size(); d-- > 0;) {
        if (++index[d] < newShape[d])
          break;
        index[d] = 0;
      }
    }
    return result;
  }
};

inline void expectSame(const poplar::Tensor &t, const ElementModel &model) {
  ASSERT_EQ(t.shape(), model.shape);
  ASSERT_EQ(elementsOf(t), model.elements);
}
