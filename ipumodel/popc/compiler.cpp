#include "popc/compiler.hpp"

#include "poplar/child_process.hpp"
#include "poplar/cxx_compiler.hpp"
#include "poplar/file_content.hpp"

#include <cctype>
#include <iostream>

namespace ipumodel::popc {
namespace {

using Arguments = std::vector<std::string>;

void append(Arguments &arguments, const Arguments &more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
}

// A prefix of /usr needs no flag for its headers, and giving it would change
// the order in which the standard library finds its own.
void appendIncludeDirectory(Arguments &arguments, const std::string &path) {
  if (path != "/usr/include")
    append(arguments, {"-isystem", path});
}

// Blanks out `target("supervisor")`, wherever it comes from: it is the way to
// say that compute() runs outside the workers, and g++ rejects a target it
// does not know. Other attributes beside it stay, as does the column of all
// that follows.
void removeSupervisorTargets(std::string &text) {
  const std::string target = "target";
  const std::string value = "\"supervisor\"";
  const auto skipBack = [&](std::size_t at) {
    while (at > 0 && std::isspace(static_cast<unsigned char>(text[at - 1])))
      --at;
    return at;
  };
  for (auto at = text.find(value); at != text.npos;
       at = text.find(value, at + 1)) {
    auto begin = skipBack(at);
    if (begin == 0 || text[begin - 1] != '(')
      continue;
    begin = skipBack(begin - 1);
    if (begin < target.size() ||
        text.compare(begin - target.size(), target.size(), target) != 0)
      continue;
    begin -= target.size();
    const auto end = text.find(')', at);
    if (end == text.npos)
      continue;
    for (auto i = begin; i <= end; ++i)
      if (text[i] != '\n')
        text[i] = ' ';
  }
}

} // namespace

Compiler::Compiler(const Options &options, const ToolPaths &paths)
    : options_(options), paths_(paths), program_(findCxxCompiler()),
      isClang_(program_.find("clang") != program_.npos ||
               (program_.find("g++") == program_.npos &&
                version().find("clang") != std::string::npos)) {}

std::vector<std::string> Compiler::parserFlags() const {
  Arguments flags{"-xc++", options_.standard, "-D__POPC__", "-w"};
  append(flags, options_.preprocessorFlags);
  appendIncludeDirectory(flags, paths_.poplarIncludes);
  appendIncludeDirectory(flags, paths_.codeletIncludes);
  return flags;
}

std::vector<std::string> Compiler::commonFlags(Language language) const {
  // Results must not depend on whether the machine can fuse a multiply and an
  // add; printf must stay a call, see shim.cpp; private fields are fields too;
  // g++ calls a const field uninitialised, as it does not know the engine.
  Arguments flags{"-fPIC", "-fvisibility=hidden", "-ffp-contract=off",
                  "-fno-builtin-printf"};
  if (language == Language::cxx)
    append(flags, {options_.standard, "-fno-access-control", "-Wno-attributes",
                   "-Wno-invalid-offsetof", "-Wno-error=uninitialized"});
  // Inline variables would otherwise be shared between archives.
  if (!isClang_ && language == Language::cxx)
    flags.emplace_back("-fno-gnu-unique");
  append(flags, options_.compilerFlags);
  return flags;
}

// g++ can leave macros alone, so that its messages show them and their columns.
std::string Compiler::preprocess(const SourceText &source,
                                 Language language) const {
  Arguments arguments{program_, "-E", "-D__POPC__", "-U_FORTIFY_SOURCE"};
  if (!isClang_)
    arguments.emplace_back("-fdirectives-only");
  append(arguments, commonFlags(language));
  append(arguments, options_.preprocessorFlags);
  append(arguments, options_.dependencyFlags);
  appendIncludeDirectory(arguments, paths_.poplarIncludes);
  appendIncludeDirectory(arguments, paths_.codeletIncludes);
  if (language == Language::cxx)
    append(arguments, {"-include", paths_.abiHeader});
  append(arguments,
         {"-x", language == Language::cxx ? "c++" : "c", source.path});
  std::string text =
      run(arguments, source.path == "-" ? source.text : std::string());
  removeSupervisorTargets(text);
  return text;
}

std::string Compiler::compile(const std::string &preprocessed,
                              Language language, const std::string &directory,
                              const std::string &stem) const {
  const std::string input = directory + "/" + stem + ".ii";
  std::string output = directory + "/" + stem + ".o";
  writeFile(input, preprocessed);
  Arguments arguments{program_, "-c"};
  if (!isClang_)
    append(arguments, {"-fpreprocessed", "-fdirectives-only"});
  append(arguments, commonFlags(language));
  append(arguments,
         {"-x", language == Language::cxx ? "c++-cpp-output" : "cpp-output",
          input, "-o", output});
  run(arguments);
  return output;
}

std::string Compiler::link(const std::vector<std::string> &objects,
                           const std::string &directory) const {
  const std::string output = directory + "/codelets.so";
  // Without the compile flags: -ffast-math, for one, would add start-up code
  // that changes the arithmetic of the whole process.
  Arguments arguments{program_, "-shared", "-Wl,-z,defs",
                      "-Wl,--build-id=none"};
  if (!options_.debugInfo)
    arguments.emplace_back("-s");
  append(arguments, {"-o", output});
  append(arguments, objects);
  run(arguments);
  return readFile(output);
}

std::string Compiler::version() const {
  const std::string text = runChild({program_, "--version"}).output;
  return text.substr(0, text.find('\n'));
}

std::string Compiler::run(const std::vector<std::string> &arguments,
                          const std::string &input) const {
  auto result = runChild(arguments, input);
  std::cerr << result.errors;
  if (result.exitCode != 0)
    throw CompileError(program_ + " failed");
  return std::move(result.output);
}

} // namespace ipumodel::popc
