#include "poplar/codelet/codelet_compiler.hpp"

#include "poplar/base/sha256.hpp"
#include "poplar/codelet/codelet_cache.hpp"
#include "poplar/codelet/cxx_compiler.hpp"
#include "poplar/system/child_process.hpp"
#include "poplar/system/file_content.hpp"
#include "poplar/system/temporary_directory.hpp"

#include <poplar/exceptions.hpp>

#include <cctype>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <ostream>
#include <sstream>
#include <vector>

namespace ipumodel {
namespace fs = std::filesystem;
namespace {

// Splits as a shell does: blanks separate, quotes and backslashes protect.
std::vector<std::string> splitWords(const std::string &text) {
  std::vector<std::string> words;
  bool inWord = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!quote && std::isspace(static_cast<unsigned char>(c))) {
      inWord = false;
      continue;
    }
    if (!inWord)
      words.emplace_back();
    inWord = true;
    if (c == '\\' && quote != '\'' && i + 1 < text.size())
      words.back() += text[++i];
    else if (quote ? c == quote : c == '"' || c == '\'')
      quote = quote ? 0 : c;
    else
      words.back() += c;
  }
  return words;
}

// The files named in a dependency rule "target: file file \<newline> file".
std::vector<std::string> dependenciesIn(const std::string &rule) {
  const auto colon = rule.find(": ");
  if (colon == rule.npos)
    return {};
  std::string files = rule.substr(colon + 1);
  for (auto at = files.find("\\\n"); at != files.npos;
       at = files.find("\\\n", at))
    files.replace(at, 2, " ");
  return splitWords(files);
}

// Tells one build of a program from another without running it.
std::string identityOf(const std::string &program) {
  const fs::path path = fs::canonical(program);
  std::ostringstream text;
  text << path.string() << ' ' << fs::file_size(path) << ' '
       << fs::last_write_time(path).time_since_epoch().count();
  return text.str();
}

std::string compilerIdentity() try {
  return identityOf(findCxxCompiler());
} catch (const std::runtime_error &error) {
  throw poplar::no_environment(error.what());
}

// All that decides the result, but for the files that get included.
std::string cacheKey(const std::string &popc, const std::string &path,
                     const std::string &text, const std::string &flags) {
  std::ostringstream key;
  key << identityOf(popc) << '\n'
      << compilerIdentity() << '\n'
      << fs::current_path().string() << '\n'
      << path << '\n'
      << flags << '\n'
      << sha256(text);
  return key.str();
}

// The first line with an error in it, as the exception's message.
std::string firstError(const std::string &messages) {
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);)
    if (line.find("error") != line.npos)
      return line;
  return "popc failed";
}

// `path` is "-" if the text is in no file.
std::string compile(const std::string &path, const std::string &text,
                    const std::string &flags, std::ostream &output) {
  const std::string popc = findPopc();
  const CodeletCache cache(cacheKey(popc, path, text, flags));
  if (auto archive = cache.find())
    return std::move(*archive);

  const TemporaryDirectory directory("ipumodel");
  const std::string archivePath = directory.path() + "/codelets.gp";
  const std::string rulePath = directory.path() + "/codelets.d";
  std::vector<std::string> arguments = splitWords(flags);
  arguments.insert(arguments.begin(), popc);
  for (const auto &argument : {std::string("-MD"), std::string("-MF"), rulePath,
                               std::string("-o"), archivePath, path})
    arguments.push_back(argument);
  const auto started = fs::file_time_type::clock::now();
  const auto result = runChild(arguments, text);
  output << result.output << result.errors << std::flush;
  if (result.exitCode != 0)
    throw poplar::graph_program_compilation_error("codelets do not compile: " +
                                                  firstError(result.errors));
  std::string archive = readFile(archivePath);
  cache.store(archive, dependenciesIn(readFile(rulePath)), started);
  return archive;
}

} // namespace

std::string compileCodeletFile(const std::string &path,
                               const std::string &flags, std::ostream &output) {
  std::string text;
  try {
    text = readFile(path);
  } catch (const std::system_error &) {
    throw poplar::file_load_error(path);
  }
  // popc would take a name such as -x.cpp for a flag.
  const bool isLikeFlag = path.rfind('-', 0) == 0;
  return compile(isLikeFlag ? "./" + path : path, text, flags, output);
}

std::string compileCodeletSource(const std::string &text,
                                 const std::string &flags,
                                 std::ostream &output) {
  return compile("-", text, flags, output);
}

std::string findPopc() {
  if (const char *chosen = std::getenv("POPC"); chosen && *chosen) {
    std::string popc = findProgram(chosen);
    if (popc.empty())
      throw poplar::no_environment("POPC is '" + std::string(chosen) +
                                   "', which cannot be run");
    return popc;
  }
  Dl_info self;
  if (::dladdr(reinterpret_cast<void *>(&findPopc), &self) && self.dli_fname) {
    const fs::path prefix =
        fs::absolute(self.dli_fname).parent_path().parent_path();
    std::string popc = findProgram(prefix / "bin/popc");
    if (!popc.empty())
      return popc;
  }
  for (const char *candidate : {IPUMODEL_POPC, "popc"}) {
    std::string popc = findProgram(candidate);
    if (!popc.empty())
      return popc;
  }
  throw poplar::no_environment(
      "popc was not found: put it in PATH or name it in POPC");
}

} // namespace ipumodel
