// Reduction operations in messages and in the names of vertices.
#pragma once

#include <popops/Operation.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <cstddef>
#include <string>

namespace poputil {

// In words, as in "Square Add".
inline const char *asString(const popops::Operation &op) {
  static const char *const words[] = {
      "Add",        "Mul",        "Min",    "Max", "Logical And",
      "Logical Or", "Square Add", "Log Add"}; // as the enumerators are ordered
  const auto index = static_cast<std::size_t>(op);
  if (index >= sizeof(words) / sizeof(*words))
    throw poplibs_error("There is no reduction operation " +
                        std::to_string(index));
  return words[index];
}

template <> struct VertexTemplateToString<popops::Operation> {
  static std::string to_string(const popops::Operation &op) {
    std::string name = asString(op);
    for (char &c : name)
      c = c == ' ' ? '_' : c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
    return "popops::Operation::" + name;
  }
};

} // namespace poputil
