// clang++ as popc uses it: preprocess, compile, link.
#pragma once

#include "popc/options.hpp"
#include "popc/scan/translation_unit.hpp"
#include "popc/tool_paths.hpp"

#include <atomic>
#include <string>
#include <vector>

namespace ipumodel::popc {

// A source that does not compile; the compiler has said why.
struct CompileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Language { c, cxx };

// Code for every CPU of the architecture, for those that have AVX2, or for
// those that have AVX-512 as well. Without fused multiply-adds all give the
// same bits.
enum class Cpu { any, avx2, avx512 };

class Compiler {
public:
  // Throws std::runtime_error if there is no clang++.
  Compiler(const Options &options, const ToolPaths &paths);

  // Flags that make another parser see the source as this compiler does.
  std::vector<std::string> parserFlags() const;

  // The source with all includes inserted; file names and lines remain known,
  // and for C++ codelet_abi.hpp comes first. Attributes that have a meaning on
  // an IPU only are removed.
  std::string preprocess(const SourceText &source, Language language) const;

  // The following write into `directory`; several threads may call them.
  // Returns the object's path. What the compiler says is shown for Cpu::any
  // only, since it would be said again.
  std::string compile(const std::string &preprocessed, Language language,
                      Cpu cpu, const std::string &directory) const;
  // Returns the shared object's bytes; it may have undefined symbols.
  std::string link(const std::vector<std::string> &objects, Cpu cpu,
                   const std::string &directory) const;

  // The compiler's own version line.
  std::string version() const;

private:
  std::string run(const std::vector<std::string> &arguments,
                  const std::string &input, Cpu cpu = Cpu::any) const;
  std::vector<std::string> commonFlags(Language language) const;

  const Options &options_;
  const ToolPaths &paths_;
  std::string program_;
  mutable std::atomic<unsigned> fileCount_{0};
};

} // namespace ipumodel::popc
