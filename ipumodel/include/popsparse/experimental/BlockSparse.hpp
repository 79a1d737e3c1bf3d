#error                                                                         \
    "ipumodel has no sparse operators: <popsparse/experimental/BlockSparse.hpp> is not implemented"
