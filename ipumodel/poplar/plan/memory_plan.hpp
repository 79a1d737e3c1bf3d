// The places of variables, vertices and temporaries in a replica's memory.
#pragma once

#include "poplar/graph/graph_data.hpp"
#include "poplar/run/strided_copy.hpp"

#include <cstddef>
#include <vector>

namespace ipumodel {

// In the views passed to lowerCopy, a contiguous array outside the replica's
// variables, such as a host buffer or scratch memory.
constexpr VariableId kFlat = ~VariableId(0);

// `count` elements at a byte offset of the flat array; the offset is a multiple
// of their size.
View flatView(std::size_t byteOffset, std::size_t count,
              std::size_t elementSize);

class MemoryPlan {
public:
  explicit MemoryPlan(const GraphData &graph);

  // All offsets are bytes from the start of the replica's memory.
  std::size_t offsetOf(VariableId variable) const { return offsets_[variable]; }
  std::size_t reserve(std::size_t bytes, std::size_t alignment);
  std::size_t size() const { return size_; }

  // Scratch memory is shared by all steps of a program; each step requests the
  // total it needs while it runs.
  void needScratch(std::size_t bytes);
  std::size_t scratchSize() const { return scratch_; }

  // A copy that finds variables through this plan and kFlat at the base passed
  // to it.
  CopyPlan lowerCopy(const View &dst, const View &src,
                     std::size_t elementSize) const;
  // Copy from the view to a flat array in the view's order, and the reverse.
  CopyPlan gather(const View &src, std::size_t elementSize) const;
  CopyPlan scatter(const View &dst, std::size_t elementSize) const;

private:
  std::vector<std::size_t> offsets_;
  std::size_t size_ = 0;
  std::size_t scratch_ = 0;
};

// Allocates scratch memory for one step.
class ScratchFrame {
public:
  explicit ScratchFrame(MemoryPlan &memory) : memory_(memory) {}
  // Returns an offset in bytes from the start of the scratch memory.
  std::size_t take(std::size_t bytes, std::size_t alignment);

private:
  MemoryPlan &memory_;
  std::size_t used_ = 0;
};

} // namespace ipumodel
