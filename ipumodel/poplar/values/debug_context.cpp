#include "poplar/values/debug_access.hpp"
#include "poplar/values/debug_stream.hpp"

#include <poplar/DebugContext.hpp>

#include <atomic>
#include <ostream>
#include <utility>

namespace ipumodel {

std::string joinPath(poplar::StringRef parent, poplar::StringRef child) {
  std::string path;
  path.reserve(parent.size() + 1 + child.size());
  path += parent;
  if (!path.empty() && !child.empty() && path.back() != '/' &&
      child.front() != '/')
    path += '/';
  return path += child;
}

poplar::ProfileValue DebugAccess::describe(poplar::DebugInfo &info) {
  poplar::ProfileValue::Map members{
      {"id", info.id_}, {"layer", info.layer_}, {"name", info.path_}};
  if (info.parentId_ != 0)
    members.emplace("parentId", info.parentId_);
  if (info.location_.isValid())
    members.emplace("location",
                    poplar::ProfileValue::Map{
                        {"fileName", info.location_.getFileName()},
                        {"functionName", info.location_.getFunctionName()},
                        {"lineNumber", info.location_.getLineNumber()}});
  if (info.values_)
    members.emplace("values", std::move(*info.values_));
  return members;
}

} // namespace ipumodel

namespace poplar {

using ipumodel::DebugAccess;
using ipumodel::joinPath;

namespace {

// 0 means "no parent".
DebugId nextDebugId() {
  static std::atomic<DebugId> last{0};
  return ++last;
}

} // namespace

DebugInfo::DebugInfo(const DebugContext &debugContext, std::string layer)
    : id_(nextDebugId()), parentId_(DebugAccess::parentId(debugContext)),
      location_(ipumodel::locationOf(debugContext)),
      path_(ipumodel::pathOf(debugContext)), layer_(std::move(layer)) {}

DebugInfo::~DebugInfo() {
  auto &stream = ipumodel::DebugStream::ofProcess();
  if (stream.isOpen())
    stream.write(DebugAccess::describe(*this));
}

bool DebugInfo::setValue(std::string name, ProfileValue value) {
  if (!ipumodel::DebugStream::ofProcess().isOpen())
    return false;
  if (!values_)
    values_ = std::make_unique<ProfileValue::Map>();
  (*values_)[std::move(name)] = std::move(value);
  return true;
}

void DebugInfo::initializeStreamer(const std::string &fileName,
                                   const DebugSerializationFormat &format) {
  ipumodel::DebugStream::ofProcess().open(fileName, format);
}

void DebugInfo::closeStreamer() { ipumodel::DebugStream::ofProcess().close(); }

DebugNameAndId::DebugNameAndId(const std::string &name, DebugId debugId,
                               const std::string &parentPath)
    : id_(debugId), path_(joinPath(parentPath, name)) {}

DebugNameAndId::DebugNameAndId(const char *name) : id_(0), path_(name) {}

DebugNameAndId::DebugNameAndId(DebugId debugId) : id_(debugId) {}

DebugNameAndId::DebugNameAndId(const DebugInfo &debugInfo,
                               const std::string &name)
    : id_(debugInfo.getId()),
      path_(joinPath(DebugAccess::path(debugInfo), name)) {}

DebugNameAndId::DebugNameAndId(const DebugNameAndId &parent, StringRef name)
    : id_(parent.id_), path_(joinPath(parent.path_, name)) {}

DebugContext::DebugContext(SourceLocation location) : location_(location) {}

DebugContext::DebugContext(const char *name, SourceLocation location)
    : location_(location), path_(name) {}

DebugContext::DebugContext(StringRef name, SourceLocation location)
    : location_(location), path_(name) {}

DebugContext::DebugContext(std::string name, SourceLocation location)
    : location_(location), path_(std::move(name)) {}

DebugContext::DebugContext(const DebugInfo &debugInfo, const std::string &name,
                           SourceLocation location)
    : location_(location), parentId_(debugInfo.getId()),
      path_(joinPath(DebugAccess::path(debugInfo), name)) {}

DebugContext::DebugContext(const DebugNameAndId &debugNameAndId,
                           const std::string &name, SourceLocation location)
    : location_(location), parentId_(DebugAccess::id(debugNameAndId)),
      path_(joinPath(DebugAccess::path(debugNameAndId), name)) {}

DebugContext::DebugContext(const DebugContext &parent, StringRef name)
    : location_(parent.location_), parentId_(parent.parentId_),
      path_(joinPath(parent.path_, name)) {}

std::ostream &operator<<(std::ostream &os, const DebugNameAndId &nameAndId) {
  return os << nameAndId.getPathName();
}

std::ostream &operator<<(std::ostream &os, const DebugContext &debugContext) {
  return os << ipumodel::pathOf(debugContext);
}

} // namespace poplar
