// The native operation of reductions.
#pragma once

namespace ipumodel {

// out <- in, [scale], [out]; then the Operation, the reduced dimensions, and
// two bools: is there a scale, and is the result added to `out`.
constexpr const char *kReduceKernel = "popops.reduce";

} // namespace ipumodel
