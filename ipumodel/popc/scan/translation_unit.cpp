#include "popc/scan/translation_unit.hpp"

#include <stdexcept>

namespace ipumodel::popc {

TranslationUnit::TranslationUnit(const SourceText &source,
                                 const std::vector<std::string> &flags)
    : index_(clang_createIndex(0, 0)) {
  std::vector<const char *> arguments;
  arguments.reserve(flags.size());
  for (const auto &flag : flags)
    arguments.push_back(flag.c_str());
  const std::string path = source.path == "-" ? "<stdin>" : source.path;
  CXUnsavedFile file{path.c_str(), source.text.data(), source.text.size()};
  clang_parseTranslationUnit2(
      index_, path.c_str(), arguments.data(), int(arguments.size()), &file, 1,
      CXTranslationUnit_SkipFunctionBodies | CXTranslationUnit_KeepGoing,
      &unit_);
  if (!unit_) {
    clang_disposeIndex(index_);
    throw std::runtime_error("libclang cannot read " + path);
  }
}

TranslationUnit::~TranslationUnit() {
  clang_disposeTranslationUnit(unit_);
  clang_disposeIndex(index_);
}

std::vector<std::string> TranslationUnit::errors() const {
  std::vector<std::string> errors;
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit_); ++i) {
    const CXDiagnostic diagnostic = clang_getDiagnostic(unit_, i);
    if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
      errors.push_back(toString(clang_formatDiagnostic(
          diagnostic,
          CXDiagnostic_DisplaySourceLocation | CXDiagnostic_DisplayColumn)));
    clang_disposeDiagnostic(diagnostic);
  }
  return errors;
}

std::string toString(CXString string) {
  const char *text = clang_getCString(string);
  std::string result = text ? text : "";
  clang_disposeString(string);
  return result;
}

std::string qualifiedName(CXCursor declaration) {
  std::string name = toString(clang_getCursorSpelling(declaration));
  for (CXCursor scope = clang_getCursorSemanticParent(declaration);
       !clang_Cursor_isNull(scope) &&
       !clang_isTranslationUnit(clang_getCursorKind(scope));
       scope = clang_getCursorSemanticParent(scope))
    name.insert(0, toString(clang_getCursorSpelling(scope)) + "::");
  return name;
}

std::string location(CXCursor cursor) {
  CXFile file;
  unsigned line, column;
  clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, &line,
                             &column, nullptr);
  return toString(clang_getFileName(file)) + ":" + std::to_string(line) + ":" +
         std::to_string(column);
}

} // namespace ipumodel::popc
