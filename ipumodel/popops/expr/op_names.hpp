// The names of expression operators.
#pragma once

#include <popops/ExprOp.hpp>

namespace popops {

// The enumerator's name: "EXPONENT_MINUS_ONE".
const char *nameOf(expr::UnaryOpType op);
const char *nameOf(expr::BinaryOpType op);
const char *nameOf(expr::TernaryOpType op);

} // namespace popops
