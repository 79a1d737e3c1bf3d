#error                                                                         \
    "ipumodel has no sparse operators: <popsparse/experimental/BlockSparseMatMul.hpp> is not implemented"
