/* The device's own types: half, float2 and the like. */
#pragma once

#ifdef __cplusplus
#include <poplar/Loops.hpp>
#include <poplar/VectorTypes.hpp>
#endif
