// Products of the rows of a batch with weights, as stages: rows pass through
// the operations of a chain, some of them together.
#pragma once

#include "poplar/plan/batch_stage.hpp"

namespace ipumodel {

// Of C = scale A B, with the tensors of a MatrixProduct. Null, with a reason,
// if that is better done at once.
StagePtr stageOfRows(const NativeOp &op, float scale, Step step,
                     StageOperands &operands);

} // namespace ipumodel
