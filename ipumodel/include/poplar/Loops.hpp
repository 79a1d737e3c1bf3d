// The counter of a hardware loop.
#pragma once

#ifndef POPC_OWN_LOOP_COUNTER // popc defines it for sources with their own
// A device loop repeats at most 4095 times. Here only the type is needed, and
// it holds any count.
using rptsize_t = unsigned;
#endif
