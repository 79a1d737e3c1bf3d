// Where the code of a function buffer is kept.
#pragma once

namespace poplar {

enum class FunctionBufferMappingType { REMOTE };

} // namespace poplar
