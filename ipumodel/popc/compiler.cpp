#include "popc/compiler.hpp"

#include "poplar/codelet/cxx_compiler.hpp"
#include "poplar/system/child_process.hpp"
#include "poplar/system/file_content.hpp"

#include <cctype>
#include <iostream>
#include <stdexcept>

namespace ipumodel::popc {
namespace {

using Arguments = std::vector<std::string>;

// The device's compiler has these functions without an include.
const char *const kBuiltins = "ipu_builtins.h";

void append(Arguments &arguments, const Arguments &more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
}

// A prefix of /usr needs no flag for its headers, and giving it would change
// the order in which the standard library finds its own.
void appendIncludeDirectory(Arguments &arguments, const std::string &path) {
  if (path != "/usr/include")
    append(arguments, {"-isystem", path});
}

// Codelets may leave out the folder, as in <Vertex.hpp>; their own headers of
// such a name come first.
void appendOwnIncludes(Arguments &arguments, const ToolPaths &paths) {
  appendIncludeDirectory(arguments, paths.poplarIncludes);
  appendIncludeDirectory(arguments, paths.codeletIncludes);
  append(arguments, {"-idirafter", paths.poplarIncludes + "/poplar"});
}

// Those of the flags, and their values, that a source with all includes
// inserted still needs.
Arguments macroFlags(const Arguments &preprocessorFlags) {
  Arguments flags{"-D__POPC__", "-U_FORTIFY_SOURCE"};
  for (auto flag = preprocessorFlags.begin(); flag != preprocessorFlags.end();
       ++flag) {
    const bool isMacro = flag->compare(0, 2, "-D") == 0 ||
                         flag->compare(0, 2, "-U") == 0 || *flag == "-imacros";
    const bool hasValue = takesNextArgument(*flag);
    if (isMacro)
      flags.insert(flags.end(), flag, flag + (hasValue ? 2 : 1));
    if (hasValue)
      ++flag;
  }
  return flags;
}

// Replaces text[begin, end) by blanks; lines and columns stay as they were.
void blankOut(std::string &text, std::size_t begin, std::size_t end) {
  for (auto i = begin; i < end; ++i)
    if (text[i] != '\n')
      text[i] = ' ';
}

bool isBlank(char c) { return std::isspace(static_cast<unsigned char>(c)); }

// The next position from `at` on with another character, or the end.
std::size_t skipBlanks(const std::string &text, std::size_t at) {
  while (at < text.size() && isBlank(text[at]))
    ++at;
  return at;
}
// The position after the last such character before `at`, or the beginning.
std::size_t skipBlanksBack(const std::string &text, std::size_t at) {
  while (at > 0 && isBlank(text[at - 1]))
    --at;
  return at;
}

// Removes `target("supervisor")`: it says that compute() does not run in the
// worker threads of a tile, which a CPU has not. Other attributes beside it
// stay.
void removeSupervisorTargets(std::string &text) {
  const std::string target = "target";
  const std::string value = "\"supervisor\"";
  for (auto at = text.find(value); at != text.npos;
       at = text.find(value, at + 1)) {
    auto begin = skipBlanksBack(text, at);
    if (begin == 0 || text[begin - 1] != '(')
      continue;
    begin = skipBlanksBack(text, begin - 1);
    if (begin < target.size() ||
        text.compare(begin - target.size(), target.size(), target) != 0)
      continue;
    const auto end = text.find(')', at);
    if (end != text.npos)
      blankOut(text, begin - target.size(), end + 1);
  }
}

// Removes `[[poplar::...]]` and `[[using poplar: ...]]`: they constrain where
// the memory of a tile holds a field.
void removePoplarAttributes(std::string &text) {
  const std::string vendor = "poplar", import = "using";
  // Where the word before `at` begins, if it is `word`; else `at`.
  const auto skipWord = [&](std::size_t at, const std::string &word) {
    const auto end = skipBlanksBack(text, at);
    return end >= word.size() &&
                   text.compare(end - word.size(), word.size(), word) == 0
               ? end - word.size()
               : at;
  };
  for (auto at = text.find(vendor); at != text.npos;
       at = text.find(vendor, at + 1)) {
    const auto inner = skipWord(skipWord(at, import), "[");
    const auto begin = skipWord(inner, "[");
    if (begin == inner || inner == at ||
        text[skipBlanks(text, at + vendor.size())] != ':')
      continue;
    auto end = text.find(']', at);
    while (end != text.npos && text[skipBlanks(text, end + 1)] != ']')
      end = text.find(']', end + 1);
    if (end != text.npos)
      blankOut(text, begin, skipBlanks(text, end + 1) + 1);
  }
}

} // namespace

Compiler::Compiler(const Options &options, const ToolPaths &paths)
    : options_(options), paths_(paths), program_(findCxxCompiler()) {
  if (program_.find("clang") == program_.npos &&
      version().find("clang") == std::string::npos)
    throw std::runtime_error(
        "POPC_CXX is '" + program_ +
        "', which is not clang and would ignore attributes that codelets "
        "depend on; name a clang++, or unset POPC_CXX");
}

std::vector<std::string> Compiler::parserFlags() const {
  Arguments flags{"-xc++", options_.standard, "-D__POPC__", "-w"};
  append(flags, options_.preprocessorFlags);
  appendOwnIncludes(flags, paths_);
  append(flags, {"-include", kBuiltins});
  return flags;
}

std::vector<std::string> Compiler::commonFlags(Language language) const {
  // Results must not depend on whether the machine can fuse a multiply and an
  // add; printf must stay a call, see shim.cpp; an attribute that would be
  // ignored may have been meant to change the results.
  Arguments flags{"-fPIC", "-ffp-contract=off", "-fno-builtin-printf",
                  "-Werror=unknown-attributes", "-Werror=ignored-attributes"};
  if (language == Language::cxx) // private fields are fields too
    append(flags, {options_.standard, "-fno-access-control"});
  append(flags, options_.compilerFlags);
  return flags;
}

// Macros are left alone, so that messages show them and their columns.
std::string Compiler::preprocess(const SourceText &source,
                                 Language language) const {
  Arguments arguments{program_, "-E", "-frewrite-includes", "-D__POPC__",
                      "-U_FORTIFY_SOURCE"};
  append(arguments, commonFlags(language));
  append(arguments, options_.preprocessorFlags);
  append(arguments, options_.dependencyFlags);
  appendOwnIncludes(arguments, paths_);
  if (language == Language::cxx)
    append(arguments, {"-include", paths_.abiHeader, "-include", kBuiltins});
  append(arguments,
         {"-x", language == Language::cxx ? "c++" : "c", source.path});
  std::string text =
      run(arguments, source.path == "-" ? source.text : std::string());
  removeSupervisorTargets(text);
  removePoplarAttributes(text);
  return text;
}

// The source is standard input: the name of a temporary file would get into
// the debug information.
std::string Compiler::compile(const std::string &preprocessed,
                              Language language, Cpu cpu,
                              const std::string &directory) const {
  std::string output = directory + "/" + std::to_string(fileCount_++) + ".o";
  Arguments arguments{program_, "-c"};
  append(arguments, commonFlags(language));
  append(arguments, macroFlags(options_.preprocessorFlags));
  if (cpu != Cpu::any) {
    append(arguments, {"-mavx2", "-mf16c", "-DPOPC_F16C", "-w"});
    if (cpu == Cpu::avx512)
      append(arguments, {"-mavx512f", "-mavx512vl", "-mavx512dq", "-mavx512bw",
                         "-mprefer-vector-width=512"});
    // Conditions on the CPU are decided as they were when the includes were
    // inserted: all variants are the same program.
    for (const char *extension :
         {"SSE3", "SSSE3", "SSE4_1", "SSE4_2", "AVX", "AVX2", "F16C", "FMA",
          "AVX512F", "AVX512VL", "AVX512DQ", "AVX512BW", "EVEX512", "EVEX256",
          "POPCNT", "CRC32", "XSAVE"})
      arguments.push_back("-U__" + std::string(extension) + "__");
    // A vertex has few elements: those left over by a vectorised loop, up to 31
    // of 32, are worth vectors too.
    append(arguments, {"-mllvm", "-epilogue-vectorization-minimum-VF=8"});
  }
  append(arguments,
         {"-x", language == Language::cxx ? "c++" : "c", "-", "-o", output});
  run(arguments, preprocessed, cpu);
  return output;
}

std::string Compiler::link(const std::vector<std::string> &objects, Cpu cpu,
                           const std::string &directory) const {
  const std::string output =
      directory + "/" + std::to_string(fileCount_++) + ".so";
  // Without the compile flags: -ffast-math, for one, would add start-up code
  // that changes the arithmetic of the whole process. Functions are visible to
  // other archives, but calls of its own stay its own.
  Arguments arguments{program_, "-shared", "-Wl,-Bsymbolic",
                      "-Wl,--build-id=none"};
  if (!options_.debugInfo)
    arguments.emplace_back("-s");
  append(arguments, {"-o", output});
  append(arguments, objects);
  run(arguments, "", cpu);
  return readFile(output);
}

std::string Compiler::version() const {
  const std::string text = runChild({program_, "--version"}).output;
  return text.substr(0, text.find('\n'));
}

std::string Compiler::run(const std::vector<std::string> &arguments,
                          const std::string &input, Cpu cpu) const {
  auto result = runChild(arguments, input);
  if (cpu == Cpu::any)
    std::cerr << result.errors;
  else if (result.exitCode != 0)
    throw std::runtime_error(program_ +
                             " failed for wide vectors: " + result.errors);
  if (result.exitCode != 0)
    throw CompileError(program_ + " failed");
  return std::move(result.output);
}

} // namespace ipumodel::popc
