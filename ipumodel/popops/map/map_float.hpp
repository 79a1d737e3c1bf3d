// Primitives for floats.
#pragma once

#include "popops/map/map_primitives.hpp"

#include <popops/ExprOp.hpp>

namespace popops {

// Null for operators on integers and BOOL.
Primitive findFloatPrimitive(expr::UnaryOpType op);
Primitive findFloatPrimitive(expr::BinaryOpType op);
Primitive findFloatPrimitive(expr::TernaryOpType op);
Primitive findFloatPrimitive(FusedProduct form);
Primitive findFloatGate();
Primitive findFloatChoice();
Primitive findFloatRepeat(); // of elements of 4 bytes

} // namespace popops
