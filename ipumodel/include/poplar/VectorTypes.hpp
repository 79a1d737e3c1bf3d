// The device's vector types, such as float2 and half4. They exist when
// compiling for an IPU (__IPU__) only: codelets define stand-ins of the same
// names for every other target, so none may be defined here.
#pragma once

#include <poplar/HalfFloat.hpp>
