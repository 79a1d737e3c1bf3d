// The vertices of a compute set among the stages of a batch chain.
#pragma once

#include "poplar/compute_set.hpp"
#include "poplar/vertex_print.hpp"

#include <cstddef>
#include <memory>
#include <set>
#include <vector>

namespace ipumodel {

// A tensor as a chain's stages have it.
struct ItemRange {
  std::size_t offset; // of item 0, in memory
  std::size_t bytes;  // of one item
};

// Vertices see all of memory as it was before their compute set, and need not
// wait for all of it: each runs once the items it reads are complete, on the
// thread that has just made them. Those that read items of several groups run
// after the last item.
class BatchVertices {
public:
  // `made` are the operands that earlier stages write item by item.
  BatchVertices(PlanBuilder &builder,
                std::shared_ptr<const ComputeSetPlan> computeSet,
                std::size_t batch, const std::vector<ItemRange> &made);

  // False if the items matter to no vertex, or if vertices do not work on
  // memory itself; then they are better left to a step of their own.
  bool joins() const { return joins_; }
  const std::set<VariableId> &reads() const { return reads_; }
  const std::set<VariableId> &writes() const { return writes_; }
  StepId step() const { return computeSet_->step(); }

  // Runs the vertices that wait for this item. What vertices print goes to
  // `output` from `firstOutput` on.
  void run(const Replica &replica, std::size_t item, VertexOutput &output,
           std::size_t firstOutput) const;
  // After the last item: that many tasks in any order.
  std::size_t numFinishTasks() const {
    return order_.size() - firstOfItem_.back();
  }
  void finish(const Replica &replica, std::size_t task, VertexOutput &output,
              std::size_t firstOutput) const;
  std::size_t numOutputs() const { return ranges_.size(); }

private:
  struct Range {
    std::size_t begin, end; // vertices
    std::size_t item;       // or the size of the batch: after the last one
  };

  // Of all items that vertex `id` reads, the last; the size of the batch if
  // there is none or they are of several groups.
  std::size_t itemOf(const PlanBuilder &builder, std::uint32_t id,
                     std::size_t batch, const std::vector<ItemRange> &made);
  void runRange(const Replica &replica, std::size_t range, VertexOutput &output,
                std::size_t firstOutput) const;

  std::shared_ptr<const ComputeSetPlan> computeSet_;
  std::vector<Range> ranges_;            // in the order of the vertices
  std::vector<std::size_t> order_;       // of ranges, by item
  std::vector<std::size_t> firstOfItem_; // in order_, also for the batch's end
  std::set<VariableId> reads_, writes_;
  bool joins_ = false;
};

} // namespace ipumodel
