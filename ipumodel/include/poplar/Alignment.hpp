// Pointer alignment on the device. On a CPU target it has no effect; Vector's
// MinAlign is still respected.
#pragma once
