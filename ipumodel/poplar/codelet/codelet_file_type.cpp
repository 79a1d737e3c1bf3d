#include <poplar/CodeletFileType.hpp>
#include <poplar/exceptions.hpp>

#include <string_view>

namespace poplar {
namespace {

struct FileKind {
  std::string_view extension;
  CodeletFileType type;
  const char *language; // null: not a source
};

// The first extension of a type is the usual one.
constexpr FileKind kFileKinds[] = {
    {".S", CodeletFileType::PreprocessedAsmSource, "assembler-with-cpp"},
    {".s", CodeletFileType::AsmSource, "assembler"},
    {".c", CodeletFileType::CSource, "c"},
    {".cpp", CodeletFileType::CppSource, "c++"},
    {".cc", CodeletFileType::CppSource, "c++"},
    {".cxx", CodeletFileType::CppSource, "c++"},
    {".C", CodeletFileType::CppSource, "c++"},
    {".ll", CodeletFileType::IrSource, "ir"},
    {".gp", CodeletFileType::Object, nullptr},
};

const FileKind &kindOf(CodeletFileType type) {
  for (const FileKind &kind : kFileKinds)
    if (kind.type == type)
      return kind;
  throw poplar_error("the codelet file type Auto has no extension or "
                     "language");
}

} // namespace

CodeletFileType getCodeletFileType(const char *path) {
  const std::string_view name(path);
  const auto dot = name.rfind('.');
  if (dot != std::string_view::npos)
    for (const FileKind &kind : kFileKinds)
      if (name.substr(dot) == kind.extension)
        return kind.type;
  throw poplar_error("cannot tell the kind of codelet file '" +
                     std::string(name) + "' from its extension");
}

std::string getExtensionFromFileType(CodeletFileType type) {
  return std::string(kindOf(type).extension);
}

std::string getLanguageOption(CodeletFileType type) {
  const FileKind &kind = kindOf(type);
  if (!kind.language)
    throw poplar_error("compiled codelets ('" + std::string(kind.extension) +
                       "') have no source language");
  return kind.language;
}

} // namespace poplar
