// half as a 32-bit processor with instructions for it has it, like a tile.
#pragma once

typedef _Float16 half;
