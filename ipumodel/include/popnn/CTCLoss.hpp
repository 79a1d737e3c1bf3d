// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "<popnn/CTCLoss.hpp> is not implemented"
