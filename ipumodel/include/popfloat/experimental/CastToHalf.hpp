// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "<popfloat/experimental/CastToHalf.hpp> is not implemented"
