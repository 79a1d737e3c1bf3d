// Several views of equally many elements walked together, in row-major order
// of each: what copies and element-wise operations are made of.
#pragma once

#include "poplar/view.hpp"

namespace ipumodel {

// One operand's part of a joint block.
struct Operand {
  VariableId variable;
  std::ptrdiff_t offset;
  std::vector<std::ptrdiff_t> strides; // one per loop of the joint block
};

// A loop nest, outermost first, that all operands share.
struct LoopNest {
  std::vector<std::size_t> counts;
  std::vector<Operand> operands; // in the order of the views
};

// The fewest nests found that visit every element once. The views have equal
// element counts; their shapes may differ.
std::vector<LoopNest> commonLoopNests(const std::vector<const View *> &views);

} // namespace ipumodel
