#error                                                                         \
    "ipumodel has no triangular solver: <poplin/TriangularSolve.hpp> is not implemented"
