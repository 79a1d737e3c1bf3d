// The device's vector types, such as float2 and half4, exist only when
// compiling for an IPU (__IPU__). For other targets codelets define
// replacements of the same names, so none may be defined here.
#pragma once

#include <poplar/HalfFloat.hpp>
