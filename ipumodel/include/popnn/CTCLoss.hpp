#error "ipumodel has no CTC loss: <popnn/CTCLoss.hpp> is not implemented"
