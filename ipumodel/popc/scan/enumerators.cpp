#include "popc/scan/enumerators.hpp"

#include "popc/scan/translation_unit.hpp"

#include <cctype>

namespace ipumodel::popc {
namespace {

// The enumerator of the enumeration `path` (relative to `scope`) with that
// value; empty if there is none.
std::string find(CXCursor scope, const std::string &path, long long value) {
  const auto separator = path.find("::");
  const std::string head = path.substr(0, separator);
  std::string found;
  forEachChild(scope, [&](CXCursor child) {
    if (!found.empty())
      return;
    const CXCursorKind kind = clang_getCursorKind(child);
    if (kind == CXCursor_LinkageSpec) {
      found = find(child, path, value);
    } else if (toString(clang_getCursorSpelling(child)) != head) {
      return;
    } else if (separator != path.npos) {
      found = find(child, path.substr(separator + 2), value);
    } else if (kind == CXCursor_EnumDecl) {
      forEachChild(child, [&](CXCursor enumerator) {
        if (!found.empty() ||
            clang_getEnumConstantDeclValue(enumerator) != value)
          return;
        // Enumerators of an unscoped enumeration belong to the scope around it.
        const std::string name = toString(clang_getCursorSpelling(enumerator));
        const std::string owner = qualifiedName(child);
        const auto end = owner.rfind("::");
        found = clang_EnumDecl_isScoped(child) ? owner + "::" + name
                : end == owner.npos            ? name
                                    : owner.substr(0, end + 2) + name;
      });
    }
  });
  return found;
}

} // namespace

std::string nameEnumerators(std::string className, CXCursor unit) {
  for (auto open = className.find('('); open != className.npos;
       open = className.find('(', open + 1)) {
    const auto close = className.find(')', open);
    if (close == className.npos)
      break;
    auto end = close + 1;
    while (end < className.size() &&
           (className[end] == '-' ||
            std::isalnum(static_cast<unsigned char>(className[end]))))
      ++end;
    if (end == close + 1)
      continue;
    const auto value = className.substr(close + 1, end - close - 1);
    const auto enumerator =
        find(unit, className.substr(open + 1, close - open - 1),
             std::strtoll(value.c_str(), nullptr, 10));
    if (!enumerator.empty())
      className.replace(open, end - open, enumerator);
  }
  return className;
}

} // namespace ipumodel::popc
