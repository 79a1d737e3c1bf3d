#error                                                                         \
    "ipumodel has no sparse operators: <popsparse/MatMul.hpp> is not implemented"
