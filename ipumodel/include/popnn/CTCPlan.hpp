// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "ipumodel has no plans of CTC operators: <popnn/CTCPlan.hpp> is not implemented"
