#error                                                                         \
    "ipumodel has no CTC decoder: <popnn/CTCInference.hpp> is not implemented"
