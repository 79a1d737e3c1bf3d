#include "poplar/program/compute_set_order.hpp"

#include "poplar/graph/graph_impl.hpp"
#include "poplar/vertex/vertex_edges.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>

namespace ipumodel {

namespace {

// The elements a part reads or writes, sorted by variable and first element.
using Runs = std::vector<Run>;

void add(Runs &runs, const View &view) {
  view.forEachRun([&](const Run &run) { runs.push_back(run); });
}

void sort(Runs &runs) {
  std::sort(runs.begin(), runs.end(), [](const Run &a, const Run &b) {
    return a.variable != b.variable ? a.variable < b.variable
                                    : a.offset < b.offset;
  });
}

// True if any element is in both. Writes do not overlap each other, but reads
// may, so the search for each read begins at the first write that ends after
// its start.
bool intersect(const Runs &writes, const Runs &reads) {
  for (const Run &read : reads) {
    const auto write = std::partition_point(
        writes.begin(), writes.end(), [&](const Run &candidate) {
          return candidate.variable != read.variable
                     ? candidate.variable < read.variable
                     : candidate.offset + candidate.count <= read.offset;
        });
    if (write != writes.end() && write->variable == read.variable &&
        write->offset < read.offset + read.count)
      return true;
  }
  return false;
}

struct Part {
  ProgramPtr native; // null for the vertices
  Runs reads, writes;
};

Part verticesOf(const GraphData &graph, const ComputeSetInfo &computeSet) {
  Part part;
  for (const std::uint32_t vertex : computeSet.vertices)
    forEachEdge(graph, vertex, [&](const abi::Field &field, const Edge &edge) {
      const View view = viewOf(graph, edge);
      if (field.direction != abi::Direction::output)
        add(part.reads, view);
      if (field.direction != abi::Direction::input)
        add(part.writes, view);
    });
  return part;
}

Part partOf(const ProgramPtr &native) {
  Part part;
  part.native = native;
  for (const TensorPtr &input : native->op->inputs)
    add(part.reads, input->view);
  for (const TensorPtr &output : native->op->outputs)
    add(part.writes, output->view);
  return part;
}

} // namespace

ComputeSetOrder orderParts(const GraphData &graph,
                           const ComputeSetInfo &computeSet) {
  ComputeSetOrder order;
  if (computeSet.natives.empty())
    return order;
  std::vector<Part> waiting;
  for (const ProgramPtr &native : computeSet.natives)
    waiting.push_back(partOf(native));
  waiting.push_back(verticesOf(graph, computeSet));
  for (Part &part : waiting) {
    sort(part.reads);
    sort(part.writes);
  }
  bool afterVertices = false;
  while (!waiting.empty()) {
    const auto next = std::find_if(
        waiting.begin(), waiting.end(), [&](const Part &candidate) {
          return std::none_of(waiting.begin(), waiting.end(),
                              [&](const Part &other) {
                                return &other != &candidate &&
                                       intersect(candidate.writes, other.reads);
                              });
        });
    if (next == waiting.end())
      throw poplar::graph_cycle_error(
          prefixOf(computeSet.location) + "Parts of compute set '" +
          computeSet.name + "' read what each other writes, of which one is " +
          (waiting.front().native ? waiting.front().native->op->what->name()
                                  : "a vertex"));
    if (next->native)
      (afterVertices ? order.afterVertices : order.beforeVertices)
          .push_back(next->native);
    else
      afterVertices = true;
    waiting.erase(next);
  }
  return order;
}

} // namespace ipumodel
