#include "popc/options.hpp"

#include <algorithm>
#include <sstream>

namespace ipumodel::popc {
namespace {

bool startsWith(const std::string &text, const std::string &prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

std::vector<std::string> splitAtCommas(const std::string &text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');)
    parts.push_back(part);
  return parts;
}

// "ipu2:cpp" is a variant of "ipu2".
std::vector<std::string> parseTargets(const std::string &list) {
  const auto known = splitAtCommas(kTargets);
  auto targets = splitAtCommas(list);
  for (const auto &target : targets)
    if (std::find(known.begin(), known.end(),
                  target.substr(0, target.find(':'))) == known.end())
      throw UsageError("unknown target '" + target + "'; there are " +
                       kTargets);
  if (targets.empty())
    throw UsageError("--target names no target");
  return targets;
}

// Flags whose value may be the next argument. The compiler takes the flag and
// its value as two arguments too.
const char *const kPreprocessorFlagsWithValue[] = {
    "-I",       "-D",       "-U",         "-isystem", "-iquote",
    "-include", "-imacros", "-idirafter", "-isysroot"};
const char *const kDependencyFlagsWithValue[] = {"-MF", "-MT", "-MQ"};
const char *const kCompilerFlagsWithValue[] = {"-Xclang",     "-Xpreprocessor",
                                               "-Xassembler", "-Xlinker",
                                               "-mllvm",      "--param"};

template <std::size_t N>
bool contains(const char *const (&flags)[N], const std::string &flag) {
  return std::find(flags, flags + N, flag) != flags + N;
}

class Parser {
public:
  explicit Parser(const std::vector<std::string> &arguments)
      : next_(arguments.begin()), end_(arguments.end()) {}

  Options parse() {
    while (next_ != end_)
      parseOne(*next_++);
    if (options_.action == Options::Action::compile && options_.inputs.empty())
      throw UsageError("no input files; popc --help shows how to call it");
    return std::move(options_);
  }

private:
  void parseOne(const std::string &argument) {
    if (argument == "-h" || argument == "--help")
      options_.action = Options::Action::help;
    else if (argument == "--version")
      options_.action = Options::Action::version;
    else if (argument == "--list-targets")
      options_.action = Options::Action::listTargets;
    else if (argument == "--target" || argument == "-target")
      options_.targets = parseTargets(valueOf(argument));
    else if (startsWith(argument, "--target=") ||
             startsWith(argument, "-target="))
      options_.targets = parseTargets(argument.substr(argument.find('=') + 1));
    else if (argument == "-o")
      options_.output = valueOf(argument);
    else if (startsWith(argument, "-o"))
      options_.output = argument.substr(2);
    else if (argument == "-" || argument[0] != '-')
      options_.inputs.push_back(argument);
    else
      parseCompilerFlag(argument);
  }

  void parseCompilerFlag(const std::string &flag) {
    if (flag == "-x")
      throw UsageError(
          "-x is not supported: the ending of a file's name says what it is");
    if (flag == "-c" || flag == "-S" || flag == "-E" || flag == "-M" ||
        flag == "-MM")
      throw UsageError(flag + " is not supported: popc writes archives only");
    if (startsWith(flag, "-std=")) {
      options_.standard = flag;
    } else if (startsWith(flag, "-M")) {
      keep(options_.dependencyFlags, flag, kDependencyFlagsWithValue);
    } else if (startsWith(flag, "-I") || startsWith(flag, "-D") ||
               startsWith(flag, "-U") || startsWith(flag, "-i")) {
      keep(options_.preprocessorFlags, flag, kPreprocessorFlagsWithValue);
    } else {
      options_.debugInfo |= startsWith(flag, "-g");
      keep(options_.compilerFlags, flag, kCompilerFlagsWithValue);
    }
  }

  template <std::size_t N>
  void keep(std::vector<std::string> &list, const std::string &flag,
            const char *const (&flagsWithValue)[N]) {
    list.push_back(flag);
    if (contains(flagsWithValue, flag))
      list.push_back(valueOf(flag));
  }

  const std::string &valueOf(const std::string &flag) {
    if (next_ == end_)
      throw UsageError(flag + " needs a value");
    return *next_++;
  }

  std::vector<std::string>::const_iterator next_, end_;
  Options options_;
};

} // namespace

const char *const kTargets = "cpu,ipu1,ipu2,ipu21";

const char *const kHelp =
    R"(popc: compiles codelets into archives that programs load with addCodelets.

Usage: popc [options] <input>...

Inputs are C++ (.cpp .cc .cxx) and C (.c) sources and archives (.gp); "-" is
C++ from standard input. All inputs end up in one archive.

  -o <file>            the archive to write (a.gp)
  --target <list>      targets the archive is for (cpu); all run as CPU code;
                       -target is the same
  --list-targets       the targets --target accepts
  --version            this program's version and its compiler's
  --help               this text
  -std=<standard>      the C++ standard (c++17)
  -I -D -U -isystem -include, -O -g -W -f -m -M, and any other flag
                       are the compiler's; the default optimisation is -O3

The compiler is clang++; the environment variable POPC_CXX names another one,
which must be clang too. An attribute that clang does not know is an error.
Macros: __POPC__ is defined, __IPU__ is not. The IPU's vector types (float2,
half4, ...) and arithmetic functions (ipu::exp, __builtin_ipu_max, ...) exist,
unless the source defines them.

Examples:
  popc codelets.cpp -o codelets.gp
  popc -O2 -g -Wall -I include -DWIDTH=4 matmul.cpp relu.cpp -o codelets.gp
  popc mine.gp theirs.gp -o all.gp
)";

bool takesNextArgument(const std::string &preprocessorFlag) {
  return contains(kPreprocessorFlagsWithValue, preprocessorFlag);
}

Options parseOptions(const std::vector<std::string> &arguments) {
  return Parser(arguments).parse();
}

} // namespace ipumodel::popc
