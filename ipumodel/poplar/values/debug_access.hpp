// Gives the engine access to private parts of debug contexts.
#pragma once

#include <poplar/DebugContext.hpp>

#include <string>

namespace ipumodel {

struct DebugAccess {
  static const poplar::SourceLocation &
  location(const poplar::DebugContext &context) {
    return context.location_;
  }
  static const std::string &path(const poplar::DebugContext &context) {
    return context.path_;
  }
  static const std::string &path(const poplar::DebugInfo &info) {
    return info.path_;
  }
  static const std::string &path(const poplar::DebugNameAndId &nameAndId) {
    return nameAndId.path_;
  }
  static poplar::DebugId parentId(const poplar::DebugContext &context) {
    return context.parentId_;
  }
  static poplar::DebugId id(const poplar::DebugNameAndId &nameAndId) {
    return nameAndId.id_;
  }
  // Converts a finished DebugInfo for a debug stream, moving its values.
  static poplar::ProfileValue describe(poplar::DebugInfo &info);
};

// The place in the user's program that made the object.
inline const poplar::SourceLocation &
locationOf(const poplar::DebugContext &context) {
  return DebugAccess::location(context);
}

// Like getPathName(), but without a copy.
inline const std::string &pathOf(const poplar::DebugContext &context) {
  return DebugAccess::path(context);
}

// "parent/child"; no '/' is added if there is one already or if either part is
// empty.
std::string joinPath(poplar::StringRef parent, poplar::StringRef child);

} // namespace ipumodel
