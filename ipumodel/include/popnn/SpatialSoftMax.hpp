#error                                                                         \
    "ipumodel has no spatial softmax: <popnn/SpatialSoftMax.hpp> is not implemented"
