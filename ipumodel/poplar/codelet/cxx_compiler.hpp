// The compiler that popc runs: clang++, as in the SDK. g++ would ignore
// attributes that codelets depend on, such as ext_vector_type.
#pragma once

#include <string>

namespace ipumodel {

// The program that $POPC_CXX names; or else the clang++ beside the libclang
// that popc was built with, or one in PATH. Throws std::runtime_error if there
// is none.
std::string findCxxCompiler();

} // namespace ipumodel
