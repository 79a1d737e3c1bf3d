// The kinds of pooling; codelets may include this.
#pragma once

namespace popnn {

enum class PoolingType { MAX, AVG, SUM };

} // namespace popnn
