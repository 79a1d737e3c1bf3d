// The kinds of file that can hold a codelet.
#pragma once

#include <string>

namespace poplar {

enum class CodeletFileType {
  PreprocessedAsmSource,
  AsmSource,
  CSource,
  CppSource,
  IrSource,
  Object,
  Auto
};

// Decided by the extension: .S, .s, .c, .cpp (also .cc, .cxx, .C), .ll, .gp.
// Throws poplar_error for any other.
CodeletFileType getCodeletFileType(const char *path);
// The usual extension, with its dot. Throws poplar_error for Auto.
std::string getExtensionFromFileType(CodeletFileType type);
// The name of the language for a compiler's -x option. Throws poplar_error for
// Object and Auto.
std::string getLanguageOption(CodeletFileType type);

} // namespace poplar
