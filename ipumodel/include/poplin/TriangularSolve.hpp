// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "<poplin/TriangularSolve.hpp> is not implemented"
