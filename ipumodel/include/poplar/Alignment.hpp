// Pointer alignment on the device. A CPU target has no use for it: vectors
// are placed at least at their MinAlign, see Vector.
#pragma once
