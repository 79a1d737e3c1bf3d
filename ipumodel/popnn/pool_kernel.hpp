// The native operations of pooling; parameters begin with the PoolParams.
#pragma once

namespace ipumodel {

// out <- in.
constexpr const char *kPoolKernel = "popnn.pool";
// gradient of in <- gradient of out, [in, out]; then a bool: tied maxima share
// the gradient.
constexpr const char *kPoolGradientKernel = "popnn.poolInputGradient";

} // namespace ipumodel
