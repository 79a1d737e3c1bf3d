// Functions that a shared object calls and does not have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ipumodel::popc {

// The symbols that neither this ELF file nor a library it was linked with
// defines, in alphabetical order.
std::vector<std::string> undefinedSymbols(std::string_view sharedObject);

// C source that defines these as functions which jump to addresses the engine
// fills in, and abi::kImportsSymbol.
std::string importStubs(const std::vector<std::string> &symbols);

} // namespace ipumodel::popc
