// The layouts of vectors of vectors, for codelets that include them by
// themselves.
#pragma once

#include <poplar/FieldTypes.hpp>
