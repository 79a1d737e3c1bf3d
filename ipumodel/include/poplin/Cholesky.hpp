#error                                                                         \
    "ipumodel has no Cholesky factorisation: <poplin/Cholesky.hpp> is not implemented"
