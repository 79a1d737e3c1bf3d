#include "popc/scan/own_names.hpp"

#include "popc/scan/translation_unit.hpp"

#include <set>

namespace ipumodel::popc {
namespace {

// <element><count>, as <poplar/VectorTypes.hpp> has them.
bool isVectorType(const std::string &name) {
  static const std::set<std::string> kElements{
      "float",  "half", "char", "uchar", "short",
      "ushort", "int",  "uint", "long",  "longlong"};
  return !name.empty() && std::string("248").find(name.back()) != name.npos &&
         kElements.count(name.substr(0, name.size() - 1)) != 0;
}

void visit(CXCursor scope, std::set<std::string> &macros) {
  forEachChild(scope, [&](CXCursor child) {
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(child)))
      return;
    const CXCursorKind kind = clang_getCursorKind(child);
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec)
      return visit(child, macros);
    const std::string name = toString(clang_getCursorSpelling(child));
    if (isVectorType(name))
      macros.insert("POPC_OWN_VECTOR_TYPES");
    else if (name == "rptsize_t")
      macros.insert("POPC_OWN_LOOP_COUNTER");
    else if (name.rfind("__builtin_ipu_", 0) == 0)
      macros.insert("POPC_OWN_BUILTINS");
  });
}

} // namespace

std::vector<std::string> macrosForOwnNames(CXCursor unit) {
  std::set<std::string> macros;
  visit(unit, macros);
  return {macros.begin(), macros.end()};
}

} // namespace ipumodel::popc
