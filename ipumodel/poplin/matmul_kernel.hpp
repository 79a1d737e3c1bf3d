// The native operation of matrix products.
#pragma once

namespace ipumodel {

// C [g,m,n] <- A [g,m,k], B [g,k,n], [scale tensor], [C]; then a float scale
// and two bools: is there a scale tensor, and is the product added to C.
constexpr const char *kMatMulKernel = "poplin.matMul";

} // namespace ipumodel
