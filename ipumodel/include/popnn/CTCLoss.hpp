// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "ipumodel has no CTC losses: <popnn/CTCLoss.hpp> is not implemented"
