// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "<popfloat/experimental/codelets.hpp> is not implemented"
