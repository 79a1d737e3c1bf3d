#error                                                                         \
    "ipumodel has no sparse operators: <popsparse/codelets.hpp> is not implemented"
