// The counter of a hardware loop.
#pragma once

// A device loop repeats at most 4095 times. Here only the type is needed, and
// it holds any count.
using rptsize_t = unsigned;
