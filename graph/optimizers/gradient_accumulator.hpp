// Combines the gradients of an update's micro-batches into one for each
// variable.
#pragma once

#include "graph/layers/layer.hpp"
#include "graph/training_graph.hpp"

#include <map>
#include <string>

namespace popscope::graph {

struct AccumulationSpec {
  unsigned microBatches = 1;
  AccumulationMethod method = AccumulationMethod::sum;
  float lossScale = 1.0f; // of the gradients added; divided out
};

// For the variables of one stage.
class GradientAccumulator {
public:
  GradientAccumulator(poplar::Graph &graph, const AccumulationSpec &spec);

  void addVariable(const Variable &variable);

  // At the start of an update.
  void addReset(poplar::program::Sequence &prog);
  // At the start of a micro-batch.
  void addMicroBatch(poplar::program::Sequence &prog);
  void add(const Variable &variable, const poplar::Tensor &gradient,
           poplar::program::Sequence &prog);

  // FLOAT, with the variable's shape. Only after add() for this variable.
  const poplar::Tensor &gradient(const Variable &variable) const {
    return gradients_.at(variable.name);
  }

  // Whether gradient() is the unchanged gradient of the only micro-batch.
  bool isAsComputed(const Variable &variable) const;

private:
  poplar::Graph &graph_;
  AccumulationSpec spec_;
  poplar::Tensor count_; // of micro-batches, for the running mean
  std::map<std::string, poplar::Tensor> gradients_;
};

} // namespace popscope::graph
