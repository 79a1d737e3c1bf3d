// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "<poplin/Cholesky.hpp> is not implemented"
