// The kinds of pooling; readable by codelets too.
#pragma once

namespace popnn {

enum class PoolingType { MAX, AVG, SUM };

} // namespace popnn
