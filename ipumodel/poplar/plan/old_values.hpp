// What vertices of a compute set read though others of it write it: they must
// see the values from before. Those are copied once, however many vertices
// read them.
#pragma once

#include "poplar/codelet/codelet_abi.hpp"
#include "poplar/graph/graph_data.hpp"
#include "poplar/plan/memory_plan.hpp"

#include <vector>

namespace ipumodel {

inline bool writes(abi::Direction direction) {
  return direction == abi::Direction::output ||
         direction == abi::Direction::inOut;
}

class OldValues {
public:
  OldValues(const GraphData &graph, const ComputeSetInfo &info);

  // True if the edge, of a vertex that only reads it, is not a view and another
  // vertex writes some of its elements.
  bool include(const abi::Field &field, const Edge &edge,
               std::uint32_t vertex) const;

  // Keeps the elements of such an edge.
  void keep(const Edge &edge, std::size_t elementSize);
  // After all were kept: the copies of them to the frame.
  CopyPlan place(const MemoryPlan &memory, ScratchFrame &frame);
  // Where the elements are then, in scratch memory; aligned as in memory.
  std::size_t offsetOf(const Edge &edge, std::size_t elementSize) const;

private:
  struct Written {
    VariableId variable;
    std::size_t begin, end;
    std::uint32_t vertex;
  };
  struct Kept {
    VariableId variable;
    std::size_t begin, end;
    std::size_t elementSize;
    std::size_t offset; // of `begin`
  };

  bool isWrittenElsewhere(const Edge &edge, std::uint32_t vertex) const;

  const GraphData &graph_;
  std::vector<Written> written_; // by variable and first element
  std::vector<Kept> kept_;       // the same, and disjoint once placed
};

} // namespace ipumodel
