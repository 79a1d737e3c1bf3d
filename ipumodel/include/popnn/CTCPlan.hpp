#error "ipumodel has no CTC plan: <popnn/CTCPlan.hpp> is not implemented"
