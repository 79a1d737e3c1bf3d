// Compiler attributes under common names.
#pragma once

#define GC_DEPRECATED __attribute__((deprecated))
