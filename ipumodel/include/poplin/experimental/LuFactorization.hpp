#error                                                                         \
    "ipumodel has no LU factorisation: <poplin/experimental/LuFactorization.hpp> is not implemented"
