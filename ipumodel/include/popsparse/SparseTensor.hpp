#error                                                                         \
    "ipumodel has no sparse operators: <popsparse/SparseTensor.hpp> is not implemented"
