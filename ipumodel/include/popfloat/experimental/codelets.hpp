#error                                                                         \
    "ipumodel has no custom float formats: <popfloat/experimental/codelets.hpp> is not implemented"
