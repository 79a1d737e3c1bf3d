// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "ipumodel has no floats of other formats: <popfloat/experimental/CastToHalf.hpp> is not implemented"
