// The tensors of a graph that keep their values between executions, with their
// host handles.
#pragma once

#include "graph/training_graph.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace popscope::graph {

class StateCatalog {
public:
  explicit StateCatalog(poplar::Graph &graph) : graph_(graph) {}

  // The host writes a trainable tensor before the first execution.
  void addTrainable(const std::string &name, const poplar::Tensor &hostView) {
    add(name, hostView, true);
  }
  // The others start with the value given here.
  template <typename T>
  void addRemembered(const std::string &name, const poplar::Tensor &hostView,
                     T initialValue) {
    graph_.setInitialValue(hostView, initialValue);
    add(name, hostView, false);
  }

  // Trainable ones first, then the others, each in the order of adding.
  const std::vector<StateTensor> &tensors() const { return tensors_; }

private:
  void add(const std::string &name, const poplar::Tensor &hostView,
           bool trainable) {
    graph_.createHostWrite(name, hostView);
    graph_.createHostRead(name, hostView);
    const auto at =
        trainable ? tensors_.begin() + trainables_++ : tensors_.end();
    tensors_.insert(
        at, {name, hostView.shape(), hostView.elementType(), trainable});
  }

  poplar::Graph &graph_;
  std::vector<StateTensor> tensors_;
  std::ptrdiff_t trainables_ = 0;
};

} // namespace popscope::graph
