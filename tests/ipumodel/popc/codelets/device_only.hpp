// Attributes and names that mean something on a device only.
#pragma once

#define RUN_AS_SUPERVISOR __attribute__((target("supervisor")))

#include <poplar/Alignment.hpp>
#include <poplar/AvailableVTypes.h>
#include <poplar/Loops.hpp>
#include <poplar/StackSizeDefs.hpp>
#include <poplar/TileConstants.hpp>
#include <poplar/VectorListTypes.hpp>
#include <poplar/VectorTypes.hpp>
#include <poplar/Vertex.hpp>

#include <ipu_builtins.h>
#include <ipu_intrinsics>
#include <ipu_memory_intrinsics>
#include <ipu_vector_math>
#include <ipudef.h>
#include <ipuvectormath>

#if defined(__IPU__) || !defined(__POPC__) || CTXT_WORKERS != 6 ||             \
    defined(VECTOR_AVAIL_SHORT_SPAN) || defined(VECTORLIST_AVAIL_DELTAN)
#error the target is no CPU
#endif

// Stand-ins, as codelets define them for targets other than the IPU.
struct float2 {
  float x, y;
};
struct half2 {
  half x, y;
};

// In a header, and with another attribute beside it.
static inline __attribute__((always_inline, target("supervisor"))) rptsize_t
fromHeader() {
  return 40;
}
