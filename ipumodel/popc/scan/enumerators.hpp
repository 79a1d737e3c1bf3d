// Names instead of numbers for the enumerators in a template's arguments.
#pragma once

#include <clang-c/Index.h>
#include <string>

namespace ipumodel::popc {

// Turns each cast to an enumeration, such as (ns::E)1, into the qualified
// enumerator. A number that names no enumerator keeps its cast.
std::string nameEnumerators(std::string className, CXCursor unit);

} // namespace ipumodel::popc
