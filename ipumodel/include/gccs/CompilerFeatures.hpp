// Compiler attributes under one name.
#pragma once

#define GC_DEPRECATED __attribute__((deprecated))
