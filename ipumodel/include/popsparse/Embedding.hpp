#error                                                                         \
    "ipumodel has no sparse operators: <popsparse/Embedding.hpp> is not implemented"
