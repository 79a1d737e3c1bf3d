// Kinds of file a codelet can come in.
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

// By the extension: .S, .s, .c, .cpp (also .cc, .cxx, .C), .ll, .gp. Throws
// poplar_error for any other.
CodeletFileType getCodeletFileType(const char *path);
// The usual extension, with its dot. Throws poplar_error for Auto.
std::string getExtensionFromFileType(CodeletFileType type);
// What a compiler's -x option calls the language. Throws poplar_error for
// Object and Auto.
std::string getLanguageOption(CodeletFileType type);

} // namespace poplar
