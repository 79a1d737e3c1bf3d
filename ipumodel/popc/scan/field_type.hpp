// Which C++ types can be vertex fields.
#pragma once

#include "popc/scan/vertex_class.hpp"

#include <clang-c/Index.h>
#include <optional>

namespace ipumodel::popc {

// Nothing if a field cannot have that type.
std::optional<FieldType> classifyField(CXType type);

// The kinds of field there are, for error messages.
extern const char *const kFieldTypesHelp;

} // namespace ipumodel::popc
