// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "ipumodel has no CTC inference: <popnn/CTCInference.hpp> is not implemented"
