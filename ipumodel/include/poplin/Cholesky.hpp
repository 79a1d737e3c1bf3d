// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "ipumodel has no Cholesky factors: <poplin/Cholesky.hpp> is not implemented"
