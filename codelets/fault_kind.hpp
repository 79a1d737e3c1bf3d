// What an injected fault does to an element. Shared by device and host.
#pragma once

namespace popscope {

enum class FaultKind : unsigned { nan, inf, negativeInf, flip, scale };

constexpr unsigned kEveryReplica = 0xffffffffu;

} // namespace popscope
