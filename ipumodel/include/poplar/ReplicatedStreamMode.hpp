// Whether every replica gets its own data from a stream, or all the same.
#pragma once

namespace poplar {

enum class ReplicatedStreamMode { REPLICATE, BROADCAST };

} // namespace poplar
