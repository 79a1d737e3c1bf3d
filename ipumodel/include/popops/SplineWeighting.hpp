#error                                                                         \
    "ipumodel has no spline weighting: <popops/SplineWeighting.hpp> is not implemented"
