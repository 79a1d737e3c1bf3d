// The source location and the name of an object in a graph.
#pragma once

#include <poplar/ProfileValue.hpp>
#include <poplar/StringRef.hpp>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>

namespace ipumodel {
struct DebugAccess;
}

namespace poplar {

class DebugContext;

// A place in a source file. The strings are the compiler's and live as long as
// the code that contains them.
class SourceLocation {
public:
  constexpr SourceLocation() = default;
  constexpr SourceLocation(const char *functionName, const char *fileName,
                           unsigned lineNumber)
      : functionName_(functionName), fileName_(fileName),
        lineNumber_(lineNumber) {}

  const char *getFunctionName() const { return functionName_; }
  const char *getFileName() const { return fileName_; }
  unsigned getLineNumber() const { return lineNumber_; }
  bool isValid() const { return fileName_ != nullptr; }

  // The location of the call; as a default argument, of the call to the
  // function that has it.
  static constexpr SourceLocation
  Current(const char *functionName = __builtin_FUNCTION(),
          const char *fileName = __builtin_FILE(),
          unsigned lineNumber = __builtin_LINE()) {
    return SourceLocation(functionName, fileName, lineNumber);
  }

private:
  const char *functionName_ = nullptr;
  const char *fileName_ = nullptr;
  unsigned lineNumber_ = 0;
};

using DebugId = std::uint64_t;

enum class DebugSerializationFormat { JSON, CBOR };

// Details of one call into one layer of software. Contexts made from it pass
// its path name and id to the layers below.
class DebugInfo {
public:
  DebugInfo(const DebugContext &debugContext, std::string layer);
  DebugInfo(const DebugInfo &) = delete;
  DebugInfo &operator=(const DebugInfo &) = delete;
  // Writes the collected values to the open stream, if there is one.
  virtual ~DebugInfo();

  DebugId getId() const { return id_; }
  std::string getPathName() const { return path_; }
  // Replaces an earlier value of that name. Returns false and drops the value
  // if no stream is open.
  bool setValue(std::string name, ProfileValue value);

  // Until closeStreamer, every DebugInfo that is destroyed is written to the
  // file. Throws file_load_error if it cannot be opened. Thread-safe.
  static void initializeStreamer(
      const std::string &fileName,
      const DebugSerializationFormat &format = DebugSerializationFormat::CBOR);
  static void closeStreamer();

private:
  friend struct ::ipumodel::DebugAccess;

  DebugId id_;
  DebugId parentId_;
  SourceLocation location_;
  std::string path_;
  std::string layer_;
  std::unique_ptr<ProfileValue::Map> values_; // allocated on first use
};

// Path names are joined by '/', unless there is one already.
class DebugNameAndId {
public:
  DebugNameAndId(const std::string &name = "", DebugId debugId = {},
                 const std::string &parentPath = "");
  DebugNameAndId(const char *name);
  DebugNameAndId(DebugId debugId);
  DebugNameAndId(const DebugInfo &debugInfo, const std::string &name = "");
  DebugNameAndId(const DebugNameAndId &parent, StringRef name);

  std::string getPathName() const { return path_; }

private:
  friend struct ::ipumodel::DebugAccess;

  DebugId id_;
  std::string path_;
};

// The last parameter of most functions that add to a graph. The default
// arguments capture the caller's location, for error messages.
class DebugContext {
public:
  DebugContext(SourceLocation location = SourceLocation::Current());
  DebugContext(const char *name,
               SourceLocation location = SourceLocation::Current());
  DebugContext(StringRef name,
               SourceLocation location = SourceLocation::Current());
  DebugContext(std::string name,
               SourceLocation location = SourceLocation::Current());
  DebugContext(const DebugInfo &debugInfo, const std::string &name = "",
               SourceLocation location = SourceLocation::Current());
  DebugContext(const DebugNameAndId &debugNameAndId,
               const std::string &name = "",
               SourceLocation location = SourceLocation::Current());
  // Keeps the parent's location.
  DebugContext(const DebugContext &parent, StringRef name);
  DebugContext(const DebugContext &) = default;
  DebugContext(DebugContext &&) = default;

  std::string getPathName() const { return path_; }

private:
  friend struct ::ipumodel::DebugAccess;

  SourceLocation location_;
  DebugId parentId_ = 0;
  std::string path_;
};

// Both print the path name.
std::ostream &operator<<(std::ostream &os, const DebugNameAndId &nameAndId);
std::ostream &operator<<(std::ostream &os, const DebugContext &debugContext);

} // namespace poplar
