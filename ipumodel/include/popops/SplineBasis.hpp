#error                                                                         \
    "ipumodel has no spline basis: <popops/SplineBasis.hpp> is not implemented"
