// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "<popsparse/SparsityParams.hpp> is not implemented"
