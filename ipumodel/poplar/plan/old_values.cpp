#include "poplar/plan/old_values.hpp"

#include "poplar/run/buffer.hpp"
#include "poplar/vertex/vertex_edges.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

// Orders ranges of elements.
struct ByBegin {
  template <class A, class B> bool operator()(const A &a, const B &b) const {
    return a.variable != b.variable ? a.variable < b.variable
                                    : a.begin < b.begin;
  }
};

} // namespace

OldValues::OldValues(const GraphData &graph, const ComputeSetInfo &info)
    : graph_(graph) {
  for (const std::uint32_t id : info.vertices)
    forEachEdge(graph_, id, [&](const abi::Field &field, const Edge &edge) {
      if (!writes(field.direction))
        return;
      if (edge.variable != Edge::kView) {
        written_.push_back(
            {edge.variable, edge.offset, edge.offset + edge.count, id});
        return;
      }
      graph_.edgeViews[edge.offset]->forEachRun([&](const Run &run) {
        written_.push_back(
            {run.variable, run.offset, run.offset + run.count, id});
      });
    });
  std::sort(written_.begin(), written_.end(), ByBegin());
}

bool OldValues::isWrittenElsewhere(const Edge &edge,
                                   std::uint32_t vertex) const {
  auto it = std::partition_point(
      written_.begin(), written_.end(), [&](const Written &w) {
        return w.variable != edge.variable ? w.variable < edge.variable
                                           : w.end <= edge.offset;
      });
  for (; it != written_.end() && it->variable == edge.variable &&
         it->begin < edge.offset + edge.count;
       ++it)
    if (it->vertex != vertex)
      return true;
  return false;
}

bool OldValues::include(const abi::Field &field, const Edge &edge,
                        std::uint32_t vertex) const {
  return field.direction == abi::Direction::input &&
         edge.variable != Edge::kView && isWrittenElsewhere(edge, vertex);
}

void OldValues::keep(const Edge &edge, std::size_t elementSize) {
  kept_.push_back(
      {edge.variable, edge.offset, edge.offset + edge.count, elementSize, 0});
}

CopyPlan OldValues::place(const MemoryPlan &memory, ScratchFrame &frame) {
  std::sort(kept_.begin(), kept_.end(), ByBegin());
  std::vector<Kept> merged;
  for (const Kept &range : kept_)
    if (!merged.empty() && merged.back().variable == range.variable &&
        range.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, range.end);
    else
      merged.push_back(range);
  kept_ = std::move(merged);
  CopyPlan copies;
  for (Kept &range : kept_) {
    const std::size_t size = range.elementSize;
    const std::size_t count = range.end - range.begin;
    const std::size_t before =
        (memory.offsetOf(range.variable) + range.begin * size) %
        Buffer::kAlignment;
    range.offset =
        before + frame.take(before + count * size, Buffer::kAlignment);
    copies.append(memory.lowerCopy(
        flatView(range.offset, count, size),
        viewOf(graph_, {range.variable, range.begin, count}), size));
  }
  return copies;
}

std::size_t OldValues::offsetOf(const Edge &edge,
                                std::size_t elementSize) const {
  const auto after =
      std::upper_bound(kept_.begin(), kept_.end(),
                       Kept{edge.variable, edge.offset, 0, 0, 0}, ByBegin());
  const Kept &range = *(after - 1);
  return range.offset + (edge.offset - range.begin) * elementSize;
}

} // namespace ipumodel
