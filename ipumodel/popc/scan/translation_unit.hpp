// A source file as libclang reads it, and libclang's values in C++ terms.
#pragma once

#include <clang-c/Index.h>
#include <string>
#include <vector>

namespace ipumodel::popc {

struct SourceText {
  std::string path; // as the user gave it; "-" is standard input
  std::string text;
};

class TranslationUnit {
public:
  // Function bodies are skipped: errors inside them go unnoticed.
  TranslationUnit(const SourceText &source,
                  const std::vector<std::string> &flags);
  ~TranslationUnit();
  TranslationUnit(const TranslationUnit &) = delete;
  TranslationUnit &operator=(const TranslationUnit &) = delete;

  CXCursor cursor() const { return clang_getTranslationUnitCursor(unit_); }
  // "file:line:column: error: ..." for each error found.
  std::vector<std::string> errors() const;

private:
  CXIndex index_;
  CXTranslationUnit unit_ = nullptr;
};

// Takes ownership of the CXString.
std::string toString(CXString string);

// ns::Outer::Name, without template arguments.
std::string qualifiedName(CXCursor declaration);

// "file:line:column"
std::string location(CXCursor cursor);

// Calls visitor(CXCursor) for each direct child.
template <typename Visitor>
void forEachChild(CXCursor parent, Visitor visitor) {
  clang_visitChildren(
      parent,
      [](CXCursor child, CXCursor, CXClientData data) {
        (*static_cast<Visitor *>(data))(child);
        return CXChildVisit_Continue;
      },
      &visitor);
}

// Calls visitor(CXCursor) for each field of a complete class, not of its bases.
template <typename Visitor> void forEachField(CXType type, Visitor visitor) {
  clang_Type_visitFields(
      type,
      [](CXCursor field, CXClientData data) {
        (*static_cast<Visitor *>(data))(field);
        return CXVisit_Continue;
      },
      &visitor);
}

} // namespace ipumodel::popc
