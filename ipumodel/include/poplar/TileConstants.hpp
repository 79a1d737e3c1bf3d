/* Constants of a tile that codelets for any target use. */
#pragma once

#define CTXT_WORKERS 6     /* worker contexts of a tile */
#define NUM_STRIDE_BITS 10 /* width of a packed address stride */
