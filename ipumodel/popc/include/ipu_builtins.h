/* The IPU's instructions as functions. They exist when compiling for an IPU
   (__IPU__) only; this header lets codelets include it on any target. */
#pragma once
