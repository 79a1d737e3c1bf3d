// Trainings to draw, and questions about the pages.
#pragma once

#include "graph/models.hpp"
#include "host/graph_page/training_page.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace popscope::host::tests {

// As the preset trains it: a pipeline of two stages.
inline graph::TrainingSpec cnnTraining() {
  graph::TrainingSpec spec;
  spec.model = graph::cnnModel();
  spec.optimizer = graph::cnnOptimizer();
  spec.accumulation = 16;
  spec.pipelined = true;
  return spec;
}

inline graph::TrainingSpec fashionTraining() {
  graph::TrainingSpec spec;
  spec.model = graph::fashionModel();
  spec.optimizer = graph::fashionOptimizer();
  return spec;
}

inline summary::GraphDescription drawn(const graph::TrainingSpec &spec,
                                       unsigned replicas = 1) {
  return describeTraining(spec, replicas, std::nullopt).operations;
}

inline bool has(const summary::GraphDescription &page,
                const std::string &name) {
  return std::any_of(
      page.nodes.begin(), page.nodes.end(),
      [&](const summary::GraphNode &node) { return node.name == name; });
}

inline const summary::GraphNode &node(const summary::GraphDescription &page,
                                      const std::string &name) {
  for (const summary::GraphNode &node : page.nodes)
    if (node.name == name)
      return node;
  throw std::out_of_range(name);
}

inline summary::Attribute attribute(const summary::GraphNode &node,
                                    const std::string &key) {
  for (const auto &[name, value] : node.attributes)
    if (name == key)
      return value;
  throw std::out_of_range(node.name + " has no " + key);
}

// The nodes that a node depends on, itself included.
inline std::set<std::string> dependencies(const summary::GraphDescription &page,
                                          const std::string &name) {
  std::set<std::string> found{name};
  std::vector<std::string> open{name};
  while (!open.empty()) {
    const summary::GraphNode next = node(page, open.back());
    open.pop_back();
    for (const auto *inputs : {&next.inputs, &next.controlInputs})
      for (const std::string &input : *inputs) {
        const std::string source = input.substr(0, input.find(':'));
        if (found.insert(source).second)
          open.push_back(source);
      }
  }
  return found;
}

} // namespace popscope::host::tests
