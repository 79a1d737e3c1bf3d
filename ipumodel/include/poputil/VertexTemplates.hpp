// Names of instantiated vertex templates: "name<float,true,4>".
#pragma once

#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>

#include <string>
#include <type_traits>

namespace poputil {

// The text of a template argument in a vertex name. Specialise it for other
// types; for an enumerator, use the fully qualified name.
template <typename T> struct VertexTemplateToString {
  static std::string to_string(const T &x) { return std::to_string(x); }
};

template <> struct VertexTemplateToString<bool> {
  static std::string to_string(bool x) { return x ? "true" : "false"; }
};

template <> struct VertexTemplateToString<std::string> {
  static std::string to_string(const std::string &x) { return x; }
};

template <> struct VertexTemplateToString<const char *> {
  static std::string to_string(const char *x) { return x; }
};

template <> struct VertexTemplateToString<poplar::StringRef> {
  static std::string to_string(const poplar::StringRef &x) { return x; }
};

template <> struct VertexTemplateToString<poplar::Type> {
  static std::string to_string(const poplar::Type &x) { return x.toString(); }
};

// The remaining arguments and the brackets: "<a,b>", or "" if there are none.
inline std::string templateVertexParams(bool first) { return first ? "" : ">"; }

template <typename T, typename... Args>
inline std::string templateVertexParams(bool first, const T &val,
                                        Args &&...args) {
  using Value = typename std::decay<const T &>::type;
  return (first ? "<" : ",") + VertexTemplateToString<Value>::to_string(val) +
         templateVertexParams(false, args...);
}

template <typename... Args>
inline std::string templateVertex(const std::string &name, Args &&...args) {
  return name + templateVertexParams(true, args...);
}

} // namespace poputil
