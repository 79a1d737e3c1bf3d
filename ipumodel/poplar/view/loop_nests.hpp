// Loops over several views with equal element counts, each in row-major order:
// the basis of copies and element-wise operations.
#pragma once

#include "poplar/view/view.hpp"

namespace ipumodel {

// One view's part of a loop nest.
struct Operand {
  VariableId variable;
  std::ptrdiff_t offset;
  std::vector<std::ptrdiff_t> strides; // one per loop of the nest
};

// A loop nest, outermost first, that all views share.
struct LoopNest {
  std::vector<std::size_t> counts;
  std::vector<Operand> operands; // in the order of the views
};

// As few nests as possible that together visit every element once. The views
// have equal element counts; their shapes may differ.
std::vector<LoopNest> commonLoopNests(const std::vector<const View *> &views);

} // namespace ipumodel
