// The reduction operations; codelets may include this.
#pragma once

namespace popops {

enum class Operation {
  ADD,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND, // BOOL only
  LOGICAL_OR,  // BOOL only
  SQUARE_ADD,  // squares, then adds
  LOG_ADD,     // log of the sum of exponentials
};

} // namespace popops
