// What every codelet includes: the vertex classes and the types of their
// fields. Kept lean, because each run-time compilation reads it: mathematics
// and algorithms are for the codelet to include.
#pragma once

#include <poplar/FieldTypes.hpp>
#include <poplar/HalfFloat.hpp>
#include <poplar/InOutTypes.hpp>

// Published codelets use these without including them.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

// Placement on the device, without meaning here.
#define WORKER_ALIGN
#define NO_INSTRUMENT

namespace poplar {

// Derive a codelet from one of these and give it a compute() that returns bool
// or void. A vertex is never constructed: the engine takes zeroed memory and
// fills in the fields.

class Vertex {};

// compute(unsigned workerId) is called once for each worker, in order.
class MultiVertex {
public:
  static constexpr unsigned numWorkers() { return 6; }
};

class SupervisorVertex {};

template <bool IsSupervisor>
using SupervisorVertexIf =
    typename std::conditional<IsSupervisor, SupervisorVertex, Vertex>::type;

} // namespace poplar
