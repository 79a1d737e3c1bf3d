// What one thread's multiply-add units can do.
#pragma once

#include <cstddef>

namespace benchmarks {

// Makes at least `flops` operations, two per multiply-add, on vectors in
// registers; returns their number. Reads and writes no memory.
double runFmaPeak(double flops);

} // namespace benchmarks
