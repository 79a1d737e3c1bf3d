#error                                                                         \
    "ipumodel has no sparse operators: <popsparse/SparsePartitioner.hpp> is not implemented"
