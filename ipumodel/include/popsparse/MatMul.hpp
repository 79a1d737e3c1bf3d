// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "<popsparse/MatMul.hpp> is not implemented"
