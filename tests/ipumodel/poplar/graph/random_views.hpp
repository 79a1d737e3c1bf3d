// A tensor that random view operations make, and what it must hold.
#pragma once

#include "element_model.hpp"

#include <poplar/Graph.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

class RandomViews {
public:
  RandomViews(poplar::Graph &graph, unsigned seed)
      : graph_(graph), random_(seed) {
    tensor_ = newVariable();
    model_ = ElementModel::of(tensor_);
  }

  const poplar::Tensor &tensor() const { return tensor_; }
  const ElementModel &model() const { return model_; }

  void step() {
    if (model_.shape.empty())
      return set(tensor_.expand({0}), model_.reshape({1}));
    const unsigned dim = upTo(rank() - 1);
    const std::size_t size = model_.shape[dim];
    const bool mayGrow = model_.elements.size() < 300;
    switch (upTo(9)) {
    case 0: {
      const std::size_t begin = upTo(size), end = begin + upTo(size - begin);
      return set(tensor_.slice(begin, end, dim), model_.slice(begin, end, dim));
    }
    case 1: {
      if (size == 0)
        return;
      const std::size_t i = upTo(size - 1);
      const unsigned at0 = dim;
      auto shape = model_.shape;
      shape.erase(shape.begin() + at0);
      return set(tensor_.dimRoll(dim)[i],
                 model_.slice(i, i + 1, dim).reshape(shape));
    }
    case 2: {
      std::vector<unsigned> permutation(rank());
      std::iota(permutation.begin(), permutation.end(), 0u);
      std::shuffle(permutation.begin(), permutation.end(), random_);
      return set(tensor_.dimShuffle(permutation),
                 model_.dimShuffle(permutation));
    }
    case 3:
      return set(tensor_.reverse(dim), model_.reverse(dim));
    case 4:
      if (mayGrow)
        return set(tensor_.broadcast(2, dim), model_.broadcast(2, dim));
      return;
    case 5: {
      const std::size_t stride = 1 + upTo(2);
      return set(tensor_.subSample(static_cast<unsigned>(stride), dim),
                 model_.subSample(stride, dim));
    }
    case 6:
      if (mayGrow)
        return set(tensor_.upsample(3, dim, poplar::UpsampleMethod::REPEAT),
                   model_.upsample(3, dim));
      return;
    case 7:
      return reshape();
    case 8:
      if (mayGrow)
        return set(poplar::concat(tensor_, tensor_.reverse(dim), dim),
                   model_.concat(model_.reverse(dim), dim));
      return;
    default:
      return appendVariable(dim);
    }
  }

private:
  unsigned rank() const { return static_cast<unsigned>(model_.shape.size()); }
  unsigned upTo(std::size_t last) {
    return static_cast<unsigned>(
        std::uniform_int_distribution<std::size_t>(0, last)(random_));
  }
  void set(poplar::Tensor tensor, ElementModel model) {
    tensor_ = std::move(tensor);
    model_ = std::move(model);
  }
  poplar::Tensor newVariable() {
    return graph_.addVariable(poplar::FLOAT, {std::size_t(1 + upTo(4)),
                                              std::size_t(1 + upTo(5)),
                                              std::size_t(1 + upTo(3))});
  }
  // Reshapes to a random shape with the same number of elements.
  void reshape() {
    std::size_t left = model_.elements.size();
    if (left == 0)
      return set(tensor_.flatten(), model_.reshape({0}));
    std::vector<std::size_t> shape;
    while (left > 1) {
      std::size_t factor = 2 + upTo(left - 2);
      while (left % factor != 0)
        --factor;
      if (factor == 1)
        factor = left;
      shape.push_back(factor);
      left /= factor;
    }
    set(tensor_.reshape(shape), model_.reshape(shape));
  }
  void appendVariable(unsigned dim) {
    if (model_.elements.size() >= 300)
      return;
    auto shape = model_.shape;
    shape[dim] = 1 + upTo(2);
    const poplar::Tensor added = graph_.addVariable(poplar::FLOAT, shape);
    set(poplar::concat(tensor_, added, dim),
        model_.concat(ElementModel::of(added), dim));
  }

  poplar::Graph &graph_;
  std::mt19937 random_;
  poplar::Tensor tensor_;
  ElementModel model_;
};
