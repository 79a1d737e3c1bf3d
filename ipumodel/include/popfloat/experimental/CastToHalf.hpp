#error                                                                         \
    "ipumodel has no custom float formats: <popfloat/experimental/CastToHalf.hpp> is not implemented"
