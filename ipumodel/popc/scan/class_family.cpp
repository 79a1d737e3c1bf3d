#include "popc/scan/class_family.hpp"

#include "popc/scan/translation_unit.hpp"

namespace ipumodel::popc {
namespace {

bool isTemplate(CXCursor cursor) {
  const CXCursorKind kind = clang_getCursorKind(cursor);
  return kind == CXCursor_ClassTemplate ||
         kind == CXCursor_ClassTemplatePartialSpecialization;
}

bool isPoplarVertex(const std::string &qualifiedName) {
  return qualifiedName == "poplar::Vertex" ||
         qualifiedName == "poplar::MultiVertex" ||
         qualifiedName == "poplar::SupervisorVertex";
}

// Where a class is written out: an instantiation has its template for that.
CXCursor bodyOf(CXCursor record) {
  bool hasBody = false;
  forEachChild(record, [&](CXCursor child) {
    const CXCursorKind kind = clang_getCursorKind(child);
    hasBody |= kind == CXCursor_CXXBaseSpecifier ||
               kind == CXCursor_FieldDecl || kind == CXCursor_CXXMethod;
  });
  const CXCursor pattern = clang_getSpecializedCursorTemplate(record);
  return hasBody || clang_Cursor_isNull(pattern) ? record : pattern;
}

void join(CXCursor record, ClassFamily &family);

void joinBase(CXCursor specifier, ClassFamily &family) {
  const CXType type = clang_getCanonicalType(clang_getCursorType(specifier));
  const CXCursor base = clang_getTypeDeclaration(type);
  family.bases.push_back(writtenName(type));
  if (isClass(base) && isPoplarVertex(qualifiedName(base))) {
    family.isVertex = true;
    return;
  }
  family.isDependent |= !isClass(base);
  if (isClass(base) || isTemplate(base))
    join(base, family);
}

// Adds a class and its bases to the family, bases first.
void join(CXCursor record, ClassFamily &family) {
  const auto addField = [&](CXCursor field) {
    family.fields.push_back({toString(clang_getCursorSpelling(field)), field});
  };
  forEachChild(bodyOf(record), [&](CXCursor child) {
    switch (clang_getCursorKind(child)) {
    case CXCursor_CXXBaseSpecifier:
      joinBase(child, family);
      break;
    case CXCursor_CXXMethod:
      family.hasCompute |=
          toString(clang_getCursorSpelling(child)) == "compute";
      family.hasVirtual |= clang_CXXMethod_isVirtual(child) != 0;
      break;
    case CXCursor_FieldDecl:
      if (isTemplate(record))
        addField(child);
      break;
    default:
      break;
    }
  });
  if (!isTemplate(record))
    forEachField(clang_getCursorType(record), addField);
}

} // namespace

bool isClass(CXCursor cursor) {
  const CXCursorKind kind = clang_getCursorKind(cursor);
  return kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl;
}

ClassFamily familyOf(CXCursor record) {
  ClassFamily family;
  join(record, family);
  return family;
}

std::string withoutUnnamedNamespaces(std::string name) {
  const std::string unnamed = "(anonymous namespace)::";
  for (auto at = name.find(unnamed); at != name.npos;
       at = name.find(unnamed, at))
    name.erase(at, unnamed.size());
  return name;
}

std::string writtenName(CXType type) {
  return withoutUnnamedNamespaces(
      toString(clang_getTypeSpelling(clang_getCanonicalType(type))));
}

} // namespace ipumodel::popc
