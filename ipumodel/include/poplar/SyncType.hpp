// Which tiles wait for each other: those of one IPU, of one program, or all.
#pragma once

namespace poplar {

enum class SyncType { INTERNAL, EXTERNAL, GLOBAL };

} // namespace poplar
