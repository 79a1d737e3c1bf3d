#include "poplar/codelet/codelet_library.hpp"

#include "poplar/base/content_hash.hpp"
#include "poplar/codelet/codelet_compiler.hpp"
#include "poplar/codelet/gp_archive.hpp"
#include "poplar/codelet/vertex_name.hpp"
#include "poplar/system/file_content.hpp"

#include <poplar/exceptions.hpp>

#include <cstdlib>
#include <cxxabi.h>
#include <mutex>
#include <stdexcept>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ipumodel {
namespace {

const abi::Module &moduleOf(const SharedObject &object) {
  const void *symbol = object.symbol(abi::kModuleSymbol);
  if (!symbol)
    throw std::runtime_error("it holds a library without codelets");
  const auto &module = *static_cast<const abi::Module *>(symbol);
  if (module.version != abi::kVersion)
    throw std::runtime_error(
        "it was made for codelet interface " + std::to_string(module.version) +
        ", this library has " + std::to_string(abi::kVersion) +
        "; compile the codelets again");
  return module;
}

#if defined(__x86_64__)
// AVX2 and, which old compilers cannot ask by name, conversions of halves.
bool runsAvx2Objects() {
  __builtin_cpu_init();
  unsigned a, b, features = 0, d;
  __get_cpuid(1, &a, &b, &features, &d);
  return __builtin_cpu_supports("avx2") && (features & bit_F16C) != 0;
}

bool runsAvx512Objects() {
  return runsAvx2Objects() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw");
}
#endif

// The objects of an archive that are fastest on this machine.
std::vector<std::string> objectsOf(GpArchive archive) {
#if defined(__x86_64__)
  if (!archive.avx512Objects.empty() && runsAvx512Objects())
    return std::move(archive.avx512Objects);
  if (!archive.avx2Objects.empty() && runsAvx2Objects())
    return std::move(archive.avx2Objects);
#endif
  return std::move(archive.objects);
}

// Libraries in use, by the hash of their archives.
struct LoadedLibraries {
  std::mutex mutex;
  std::unordered_multimap<std::uint64_t, std::weak_ptr<const CodeletLibrary>>
      byHash;
};

LoadedLibraries &loadedLibraries() {
  static LoadedLibraries libraries;
  return libraries;
}

std::string demangled(const char *symbol) {
  int status = 0;
  char *const name = ::abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  const std::string text = name ? name : symbol;
  std::free(name);
  return text;
}

} // namespace

CodeletLibrary::CodeletLibrary(std::string archive)
    : archive_(std::move(archive)) {
  for (const auto &bytes : objectsOf(parseGpArchive(archive_))) {
    objects_.push_back(std::make_unique<SharedObject>(bytes));
    const abi::Module &module = moduleOf(*objects_.back());
    modules_.push_back(&module);
    if (const void *symbol = objects_.back()->symbol(abi::kImportsSymbol)) {
      const auto &imports = *static_cast<const abi::Imports *>(symbol);
      imports_.insert(imports_.end(), imports.imports,
                      imports.imports + imports.count);
    }
    for (std::uint32_t i = 0; i < module.numVertexTypes; ++i) {
      const abi::VertexType *type = module.vertexTypes[i];
      // Merged archives may share a header's vertices; they are the same.
      if (byName_.emplace(type->name, type).second)
        vertexTypes_.push_back(type);
    }
  }
}

CodeletLibrary::Pointer CodeletLibrary::loadArchive(std::string bytes,
                                                    const std::string &name) {
  auto &loaded = loadedLibraries();
  const std::lock_guard lock(loaded.mutex);
  const auto hash = contentHash(bytes);
  const auto [begin, end] = loaded.byHash.equal_range(hash);
  for (auto entry = begin; entry != end;) {
    auto library = entry->second.lock();
    if (library && library->archive() == bytes)
      return library;
    entry = library ? std::next(entry) : loaded.byHash.erase(entry);
  }
  try {
    Pointer library(new CodeletLibrary(std::move(bytes)));
    if (library->imports().empty())
      loaded.byHash.emplace(hash, library);
    return library;
  } catch (const std::exception &error) {
    throw poplar::graph_object_load_error(name, error.what());
  }
}

CodeletLibrary::Pointer CodeletLibrary::loadFile(const std::string &path) {
  std::string bytes;
  try {
    bytes = readFile(path);
  } catch (const std::system_error &) {
    throw poplar::file_load_error(path);
  }
  return loadArchive(std::move(bytes), path);
}

CodeletLibrary::Pointer CodeletLibrary::compileFile(const std::string &path,
                                                    const std::string &flags,
                                                    std::ostream &output) {
  return loadArchive(compileCodeletFile(path, flags, output), path);
}

CodeletLibrary::Pointer CodeletLibrary::compileSource(const std::string &text,
                                                      const std::string &flags,
                                                      std::ostream &output) {
  return loadArchive(compileCodeletSource(text, flags, output),
                     "codelets from a stream");
}

const abi::VertexType *CodeletLibrary::find(std::string_view name) const {
  auto found = byName_.find(name);
  if (found == byName_.end())
    found = byName_.find(normaliseVertexName(name));
  return found == byName_.end() ? nullptr : found->second;
}

void *CodeletLibrary::function(const char *name) const {
  for (const auto &object : objects_)
    if (void *const found = object->function(name))
      return found;
  return nullptr;
}

void CodeletLibrary::setPrint(abi::PrintFunction print) const {
  for (const auto *module : modules_)
    __atomic_store_n(module->print, print, __ATOMIC_RELAXED);
}

void connectCalls(const std::vector<CodeletLibrary::Pointer> &libraries) {
  for (const auto &library : libraries)
    for (const abi::Import &import : library->imports()) {
      void *function = nullptr;
      for (const auto &other : libraries)
        if (!function)
          function = other->function(import.name);
      if (!function)
        throw poplar::link_error("codelets call " + demangled(import.name) +
                                 ", a function that no archive of the graph "
                                 "has");
      __atomic_store_n(import.function, function, __ATOMIC_RELAXED);
    }
}

} // namespace ipumodel
