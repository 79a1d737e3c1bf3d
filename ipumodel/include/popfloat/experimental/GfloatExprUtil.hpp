#error                                                                         \
    "ipumodel has no custom float formats: <popfloat/experimental/GfloatExprUtil.hpp> is not implemented"
