#error                                                                         \
    "ipumodel has no sparse operators: <popsparse/FullyConnected.hpp> is not implemented"
