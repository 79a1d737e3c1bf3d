#error                                                                         \
    "ipumodel has no sparse operators: <popsparse/MatMulParams.hpp> is not implemented"
