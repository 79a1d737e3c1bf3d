#error                                                                         \
    "ipumodel has no custom float formats: <popfloat/experimental/GfloatExpr.hpp> is not implemented"
