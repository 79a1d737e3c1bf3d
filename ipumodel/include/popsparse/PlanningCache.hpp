// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "ipumodel has no sparse tensors: <popsparse/PlanningCache.hpp> is not implemented"
