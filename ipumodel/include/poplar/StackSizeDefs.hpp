/* Stack sizes of assembly routines, a matter of the device alone. */
#pragma once
