// Primitives for floats.
#pragma once

#include "popops/map/map_primitives.hpp"

#include <popops/ExprOp.hpp>

namespace ipumodel {

// Null for operators on integers and BOOL.
Primitive findFloatPrimitive(popops::expr::UnaryOpType op);
Primitive findFloatPrimitive(popops::expr::BinaryOpType op);
Primitive findFloatPrimitive(popops::expr::TernaryOpType op);
Primitive findFloatPrimitive(FusedProduct form);
Primitive findFloatGate();
Primitive findFloatChoice();
Primitive findFloatProductChoice();
Primitive findFloatRepeat(); // of elements of 4 bytes

} // namespace ipumodel
