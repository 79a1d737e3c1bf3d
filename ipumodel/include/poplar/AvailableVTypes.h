/* Which compact vector layouts the target's memory allows, for the C
   preprocessor: VECTOR_AVAIL_SHORT_SPAN, VECTOR_AVAIL_SCALED_PTR32,
   VECTOR_AVAIL_SCALED_PTR64, VECTOR_AVAIL_SCALED_PTR128,
   VECTORLIST_AVAIL_DELTAN. A CPU has 64-bit addresses, so none is defined. */
#pragma once
