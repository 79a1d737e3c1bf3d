#error                                                                         \
    "ipumodel has no sparse operators: <popsparse/SparsityParams.hpp> is not implemented"
