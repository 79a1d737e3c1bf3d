// The C++ compiler as popc uses it: preprocess, compile, link.
#pragma once

#include "popc/options.hpp"
#include "popc/tool_paths.hpp"
#include "popc/translation_unit.hpp"

#include <string>
#include <vector>

namespace ipumodel::popc {

// A source that does not compile; the compiler has said why.
struct CompileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Language { c, cxx };

class Compiler {
public:
  Compiler(const Options &options, const ToolPaths &paths);

  // Flags that make another parser see the source as this compiler does.
  std::vector<std::string> parserFlags() const;

  // The source with all includes inserted; file names and lines remain known,
  // and for C++ codelet_abi.hpp comes first. Attributes that only exist on an
  // IPU are gone.
  std::string preprocess(const SourceText &source, Language language) const;

  // The following write into `directory`, where file names start with `stem`;
  // compile returns the object's path.
  std::string compile(const std::string &preprocessed, Language language,
                      const std::string &directory,
                      const std::string &stem) const;
  // Returns the shared object's bytes.
  std::string link(const std::vector<std::string> &objects,
                   const std::string &directory) const;

  // The compiler's own version line.
  std::string version() const;

private:
  std::string run(const std::vector<std::string> &arguments,
                  const std::string &input = {}) const;
  std::vector<std::string> commonFlags(Language language) const;

  const Options &options_;
  const ToolPaths &paths_;
  std::string program_;
  bool isClang_;
};

} // namespace ipumodel::popc
