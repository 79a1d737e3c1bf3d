#error                                                                         \
    "ipumodel has no QR factorisation: <poplin/experimental/QRFactorization.hpp> is not implemented"
