// Canonical names of vertex types, from the spellings of compilers,
// templateVertex and programmers.
#pragma once

#include <string>
#include <string_view>

namespace ipumodel {

// ns::Foo<float,4,true>: blanks only inside types of several words, `unsigned
// int` in full, integers decimal and without suffix, no casts, no leading `::`,
// no anonymous namespaces.
std::string normaliseVertexName(std::string_view name);

} // namespace ipumodel
