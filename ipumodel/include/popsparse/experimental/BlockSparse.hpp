// Not implemented: programs that include this fail to compile, and say why.
#pragma once

#error "<popsparse/experimental/BlockSparse.hpp> is not implemented"
