// Included by every codelet: the vertex classes and the types of their fields.
// Each run-time compilation reads it, so it is kept small: codelets include
// what else they need themselves.
#pragma once

#include <poplar/FieldTypes.hpp>
#include <poplar/HalfFloat.hpp>
#include <poplar/InOutTypes.hpp>
#include <poplar/VectorTypes.hpp>

// Published codelets use these without including them.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

// Placement on the device; no effect here.
#define WORKER_ALIGN
#define NO_INSTRUMENT

namespace poplar {

// Derive a codelet from one of these and give it a compute() that returns bool
// or void. A vertex is never constructed: the engine allocates zeroed memory
// and sets the fields.

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
