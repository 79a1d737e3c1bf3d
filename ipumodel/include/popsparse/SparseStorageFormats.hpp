#error                                                                         \
    "ipumodel has no sparse operators: <popsparse/SparseStorageFormats.hpp> is not implemented"
