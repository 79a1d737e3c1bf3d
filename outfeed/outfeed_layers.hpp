// Layers that pass their input on and enqueue it.
#pragma once

#include "outfeed/outfeed_queue.hpp"

#include <string>
#include <utility>

namespace popscope::outfeed {

// Enqueues its input each time the program runs; for a queue without filters.
class Outfeed {
public:
  Outfeed(OutfeedQueue &queue, std::string name)
      : queue_(queue), name_(std::move(name)) {}

  poplar::Tensor operator()(poplar::Graph &graph, const poplar::Tensor &x,
                            poplar::program::Sequence &prog) const {
    constexpr auto kMoment = graph::TapMoment::microBatch;
    queue_.enqueue(graph, prog,
                   {name_, graph::TensorKind::activation, kMoment, 0, x});
    queue_.endGroup(graph, prog, kMoment);
    return x;
  }

private:
  OutfeedQueue &queue_;
  std::string name_;
};

// The final one in the program sends what its group enqueued.
enum class GroupMember { inner, final };

// Enqueues if the filters of its queue say so.
class MaybeOutfeed {
public:
  MaybeOutfeed(OutfeedQueue &queue, std::string name,
               GroupMember member = GroupMember::inner)
      : queue_(queue), name_(std::move(name)), member_(member) {}

  poplar::Tensor operator()(poplar::Graph &graph, const poplar::Tensor &x,
                            poplar::program::Sequence &prog) const {
    constexpr auto kMoment = graph::TapMoment::microBatch;
    queue_.enqueue(graph, prog,
                   {name_, graph::TensorKind::activation, kMoment, 0, x});
    if (member_ == GroupMember::final)
      queue_.endGroup(graph, prog, kMoment);
    return x;
  }

private:
  OutfeedQueue &queue_;
  std::string name_;
  GroupMember member_;
};

} // namespace popscope::outfeed
