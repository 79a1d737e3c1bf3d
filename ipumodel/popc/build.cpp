#include "popc/build.hpp"

#include "popc/compiler.hpp"
#include "popc/imports.hpp"
#include "popc/scan/vertex_scan.hpp"
#include "popc/shim.hpp"
#include "popc/tool_paths.hpp"
#include "poplar/system/file_content.hpp"
#include "poplar/system/temporary_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <future>
#include <iostream>
#include <set>

namespace ipumodel::popc {
namespace fs = std::filesystem;
namespace {

enum class InputKind { cxx, c, archive };

InputKind kindOf(const std::string &input) {
  const std::string ending = fs::path(input).extension();
  if (input == "-" || ending == ".cpp" || ending == ".cc" || ending == ".cxx" ||
      ending == ".C" || ending == ".c++")
    return InputKind::cxx;
  if (ending == ".c")
    return InputKind::c;
  if (ending == ".gp")
    return InputKind::archive;
  if (ending == ".S" || ending == ".s" || ending == ".ll")
    throw UsageError("'" + input +
                     "' is code for the IPU, which cannot run on a CPU; give "
                     "the C++ codelet that does the same");
  throw UsageError("'" + input +
                   "' is of no known kind; inputs are .cpp, .c and .gp files");
}

// ipu_random.h composes the names, and so has none of them as a whole.
bool drawsRandom(const std::string &preprocessed) {
  for (const char *name : {"__builtin_ipu_urand", "__builtin_ipu_f32v2grand",
                           "__builtin_ipu_f16v2grand"})
    if (preprocessed.find(name) != std::string::npos)
      return true;
  return false;
}

// False if flags or pragmas may let a compiler compute a vectorised loop with
// other roundings than the same statements one by one.
bool computesAsWritten(const std::vector<std::string> &compilerFlags,
                       const std::string &preprocessed) {
  for (const std::string &flag : compilerFlags)
    if (flag == "-Ofast" || flag.compare(0, 2, "-f") == 0 ||
        flag.compare(0, 2, "-m") == 0 || flag.compare(0, 2, "-X") == 0)
      return false;
  for (const char *pragma : {"clang fp", "float_control"})
    if (preprocessed.find(pragma) != std::string::npos)
      return false;
  return true;
}

struct Unit {
  Language language;
  std::string text; // preprocessed
};

// Collects the sources of one shared object.
class Library {
public:
  Library(const Compiler &compiler,
          const std::vector<std::string> &compilerFlags)
      : compiler_(compiler), compilerFlags_(compilerFlags) {}

  bool empty() const { return units_.empty(); }

  void addC(const SourceText &source) {
    units_.push_back({Language::c, compiler_.preprocess(source, Language::c)});
  }

  void addCxx(const SourceText &source) {
    auto scanning = std::async(std::launch::async, scanVertices, source,
                               compiler_.parserFlags());
    Unit unit{Language::cxx, compiler_.preprocess(source, Language::cxx)};
    const VertexScan scan = scanning.get();
    for (const auto &macro : scan.macros)
      unit.text.insert(0, "#define " + macro + "\n");
    if (!scan.errors.empty()) {
      // Normally the compiler finds the same error and reports it.
      compiler_.compile(unit.text, Language::cxx, Cpu::any, directory_.path());
      throw VertexError(scan.errors.front());
    }
    for (const auto &warning : scan.warnings)
      std::cerr << warning << '\n';
    unit.text += vertexTables(
        units_.size(), scan.vertices,
        {drawsRandom(unit.text), computesAsWritten(compilerFlags_, unit.text)});
    for (std::size_t i = 0; i < scan.vertices.size(); ++i)
      if (names_.insert(scan.vertices[i].name).second)
        symbols_.push_back(vertexSymbol(units_.size(), i));
    units_.push_back(std::move(unit));
  }

  // Adds the shared objects to the archive.
  void build(GpArchive &archive) {
    addModule();
#if defined(__x86_64__)
    const auto start = [this](Cpu cpu) {
      return std::async(std::launch::async,
                        [this, cpu] { return objectFor(cpu); });
    };
    auto avx2 = start(Cpu::avx2), avx512 = start(Cpu::avx512);
    archive.objects.push_back(objectFor(Cpu::any));
    archive.avx2Objects.push_back(avx2.get());
    archive.avx512Objects.push_back(avx512.get());
#else
    archive.objects.push_back(objectFor(Cpu::any));
#endif
  }

private:
  std::string objectFor(Cpu cpu) const {
    std::vector<std::string> objects;
    for (const auto &unit : units_)
      objects.push_back(
          compiler_.compile(unit.text, unit.language, cpu, directory_.path()));
    const auto link = [&] {
      return compiler_.link(objects, cpu, directory_.path());
    };
    std::string linked = link();
    const std::vector<std::string> undefined = undefinedSymbols(linked);
    if (undefined.empty())
      return linked;
    objects.push_back(compiler_.compile(importStubs(undefined), Language::c,
                                        cpu, directory_.path()));
    return link();
  }

  void addModule() {
    const auto isCxx = [](const Unit &unit) {
      return unit.language == Language::cxx;
    };
    if (std::none_of(units_.begin(), units_.end(), isCxx))
      addCxx({"-", ""});
    std::find_if(units_.begin(), units_.end(), isCxx)->text +=
        moduleTable(symbols_);
  }

  const Compiler &compiler_;
  const std::vector<std::string> &compilerFlags_;
  TemporaryDirectory directory_{"popc"};
  std::vector<Unit> units_;
  std::vector<std::string> symbols_;
  std::set<std::string> names_; // a header's vertices may come several times
};

void merge(GpArchive &into, const std::string &path) {
  GpArchive archive;
  try {
    archive = parseGpArchive(readFile(path));
  } catch (const std::system_error &) {
    throw;
  } catch (const std::runtime_error &error) {
    throw std::runtime_error("cannot use '" + path + "': " + error.what());
  }
  into.sources.insert(into.sources.end(), archive.sources.begin(),
                      archive.sources.end());
  for (std::size_t i = 0; i < archive.objects.size(); ++i)
    if (std::find(into.objects.begin(), into.objects.end(),
                  archive.objects[i]) == into.objects.end()) {
      into.objects.push_back(archive.objects[i]);
      if (!archive.avx2Objects.empty()) {
        into.avx2Objects.push_back(archive.avx2Objects[i]);
        into.avx512Objects.push_back(archive.avx512Objects[i]);
      }
    }
}

} // namespace

GpArchive buildArchive(const Options &options) {
  for (const auto &input : options.inputs)
    kindOf(input);
  GpArchive archive;
  archive.targets = options.targets;
  const ToolPaths paths = findToolPaths();
  const Compiler compiler(options, paths);
  Library library(compiler, options.compilerFlags);
  for (const auto &input : options.inputs) {
    const InputKind kind = kindOf(input);
    if (kind == InputKind::archive) {
      merge(archive, input);
      continue;
    }
    archive.sources.push_back(input);
    const SourceText source{input, input == "-" ? readStandardInput()
                                                : readFile(input)};
    if (kind == InputKind::c)
      library.addC(source);
    else
      library.addCxx(source);
  }
  if (!library.empty())
    library.build(archive);
  return archive;
}

} // namespace ipumodel::popc
