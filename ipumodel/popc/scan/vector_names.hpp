// The names of vector types in the names of classes, where compilers write
// `float __vector(2)`.
#pragma once

#include <string>

namespace ipumodel::popc {

// Foo<float __vector(2)> as programs write it: Foo<float2>.
std::string nameVectors(std::string className);

// The same as C++: built-in vectors get the attribute that the source gave
// them, ext_vector_type or vector_size.
std::string spellVectors(std::string className, bool areExtVectors);

} // namespace ipumodel::popc
