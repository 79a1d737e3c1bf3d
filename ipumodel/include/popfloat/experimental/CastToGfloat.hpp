#error                                                                         \
    "ipumodel has no custom float formats: <popfloat/experimental/CastToGfloat.hpp> is not implemented"
