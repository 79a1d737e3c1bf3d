// What the engine reads from debug contexts besides their path names.
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
  // A finished DebugInfo as a debug stream takes it; its values move out.
  static poplar::ProfileValue describe(poplar::DebugInfo &info);
};

// Where the user's program made the object.
inline const poplar::SourceLocation &
locationOf(const poplar::DebugContext &context) {
  return DebugAccess::location(context);
}

// getPathName() without a copy.
inline const std::string &pathOf(const poplar::DebugContext &context) {
  return DebugAccess::path(context);
}

// "parent/child"; without a '/' of its own where one is there already or
// either part is empty.
std::string joinPath(poplar::StringRef parent, poplar::StringRef child);

} // namespace ipumodel
