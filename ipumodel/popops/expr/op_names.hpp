// The names of expression operators.
#pragma once

#include <popops/ExprOp.hpp>

namespace ipumodel {

// The enumerator's name: "EXPONENT_MINUS_ONE".
const char *nameOf(popops::expr::UnaryOpType op);
const char *nameOf(popops::expr::BinaryOpType op);
const char *nameOf(popops::expr::TernaryOpType op);

} // namespace ipumodel
