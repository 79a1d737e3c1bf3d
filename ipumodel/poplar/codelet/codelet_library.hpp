// The codelets of one archive, loaded and ready to run.
#pragma once

#include "poplar/codelet/codelet_abi.hpp"
#include "poplar/system/shared_object.hpp"

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ipumodel {

class CodeletLibrary {
public:
  using Pointer = std::shared_ptr<const CodeletLibrary>;

  // `name` is for messages. Equal archives share one library, unless they call
  // functions of others. Throws graph_object_load_error.
  static Pointer loadArchive(std::string bytes, const std::string &name);

  // Loads a .gp file. Throws file_load_error and graph_object_load_error.
  static Pointer loadFile(const std::string &path);

  // Compile with popc, or reuse a cached result for the same source. popc's
  // messages go to `output`. Throw graph_program_compilation_error,
  // file_load_error, and no_environment if there is no popc.
  static Pointer compileFile(const std::string &path, const std::string &flags,
                             std::ostream &output);
  static Pointer compileSource(const std::string &text,
                               const std::string &flags, std::ostream &output);

  const std::string &archive() const { return archive_; } // the .gp's bytes

  const std::vector<const abi::VertexType *> &vertexTypes() const {
    return vertexTypes_;
  }
  // Finds a type by any spelling of its name; null if there is none.
  const abi::VertexType *find(std::string_view name) const;

  // Functions of other archives that codelets call.
  const std::vector<abi::Import> &imports() const { return imports_; }
  // A function, by the name the linker knows it by; null if there is none.
  void *function(const char *name) const;

  // Redirects printf of these codelets, on all threads.
  void setPrint(abi::PrintFunction print) const;

private:
  explicit CodeletLibrary(std::string archive);

  std::string archive_;
  std::vector<std::unique_ptr<SharedObject>> objects_;
  std::vector<const abi::Module *> modules_;
  std::vector<const abi::VertexType *> vertexTypes_;
  std::vector<abi::Import> imports_;
  // Keys are canonical names, owned by the modules.
  std::unordered_map<std::string_view, const abi::VertexType *> byName_;
};

// Makes every call of a function of another archive go to the first library
// that has it. Throws link_error if none has.
void connectCalls(const std::vector<CodeletLibrary::Pointer> &libraries);

} // namespace ipumodel
