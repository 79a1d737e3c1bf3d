#error                                                                         \
    "ipumodel has no sparse operators: <popsparse/FullyConnectedParams.hpp> is not implemented"
