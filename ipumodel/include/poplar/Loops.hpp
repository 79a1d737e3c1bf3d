// The counter of a hardware loop.
#pragma once

// The device repeats at most 4095 times; only the counter's type is needed
// here, and it holds any count.
using rptsize_t = unsigned;
