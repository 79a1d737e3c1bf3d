// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "ipumodel has no triangular systems of equations: <poplin/TriangularSolve.hpp> is not implemented"
