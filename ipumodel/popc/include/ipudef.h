/* The device's own types, float2 and the like. They exist when compiling for
   an IPU (__IPU__) only; codelets define stand-ins of the same names
   elsewhere. */
#pragma once
