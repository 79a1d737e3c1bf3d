#include "poplar/batch_vertices.hpp"

#include "poplar/batch_stage.hpp"
#include "poplar/vertex_edges.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ipumodel {

namespace {

// Vertices of one task after the last item.
constexpr std::size_t kVerticesPerTask = 4;

} // namespace

BatchVertices::BatchVertices(PlanBuilder &builder,
                             std::shared_ptr<const ComputeSetPlan> computeSet,
                             std::size_t batch,
                             const std::vector<ItemRange> &made)
    : computeSet_(std::move(computeSet)) {
  if (!computeSet_->worksInPlace())
    return;
  const std::vector<std::uint32_t> &vertices = computeSet_->vertices();
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const std::size_t item = itemOf(builder, vertices[i], batch, made);
    joins_ = joins_ || item != batch;
    const bool goesOn =
        !ranges_.empty() && ranges_.back().item == item &&
        (item != batch ||
         ranges_.back().end - ranges_.back().begin < kVerticesPerTask);
    if (goesOn)
      ranges_.back().end = i + 1;
    else
      ranges_.push_back({i, i + 1, item});
  }
  order_.resize(ranges_.size());
  std::iota(order_.begin(), order_.end(), std::size_t(0));
  std::stable_sort(order_.begin(), order_.end(),
                   [this](std::size_t a, std::size_t b) {
                     return ranges_[a].item < ranges_[b].item;
                   });
  for (std::size_t item = 0; item <= batch; ++item)
    firstOfItem_.push_back(
        std::size_t(std::partition_point(order_.begin(), order_.end(),
                                         [&](std::size_t range) {
                                           return ranges_[range].item < item;
                                         }) -
                    order_.begin()));
}

std::size_t BatchVertices::itemOf(const PlanBuilder &builder, std::uint32_t id,
                                  std::size_t batch,
                                  const std::vector<ItemRange> &made) {
  std::size_t first = batch, last = 0;
  forEachEdge(
      builder.graph(), id, [&](const abi::Field &field, const Edge &edge) {
        if (field.direction != abi::Direction::input)
          writes_.insert(edge.variable);
        if (field.direction == abi::Direction::output)
          return;
        reads_.insert(edge.variable);
        const std::size_t begin = builder.memory().offsetOf(edge.variable) +
                                  edge.offset * field.elementSize;
        const std::size_t end = begin + edge.count * field.elementSize;
        for (const ItemRange &range : made) {
          const std::size_t rangeEnd = range.offset + batch * range.bytes;
          if (begin >= rangeEnd || end <= range.offset)
            continue;
          const std::size_t from = std::max(begin, range.offset);
          const std::size_t to = std::min(end, rangeEnd);
          first = std::min(first, (from - range.offset) / range.bytes);
          last = std::max(last, (to - 1 - range.offset) / range.bytes);
        }
      });
  return first != batch && groupOf(first, batch) == groupOf(last, batch)
             ? last
             : batch;
}

void BatchVertices::run(const Replica &replica, std::size_t item,
                        VertexOutput &output, std::size_t firstOutput) const {
  for (std::size_t i = firstOfItem_[item]; i < firstOfItem_[item + 1]; ++i)
    runRange(replica, order_[i], output, firstOutput);
}

void BatchVertices::finish(const Replica &replica, std::size_t task,
                           VertexOutput &output,
                           std::size_t firstOutput) const {
  runRange(replica, order_[firstOfItem_.back() + task], output, firstOutput);
}

void BatchVertices::runRange(const Replica &replica, std::size_t range,
                             VertexOutput &output,
                             std::size_t firstOutput) const {
  computeSet_->runRange(replica.memory.data(), ranges_[range].begin,
                        ranges_[range].end);
  output.endTask(firstOutput + range);
}

} // namespace ipumodel
