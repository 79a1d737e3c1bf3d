#include "popc/imports.hpp"

#include "poplar/codelet/codelet_abi.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <stdexcept>

namespace ipumodel::popc {
namespace {

template <class T> T read(std::string_view bytes, std::size_t offset) {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
    throw std::runtime_error("the linker's output is cut short");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::vector<ElfW(Shdr)> sectionsOf(std::string_view file) {
  const auto header = read<ElfW(Ehdr)>(file, 0);
  std::vector<ElfW(Shdr)> sections;
  for (unsigned i = 0; i < header.e_shnum; ++i)
    sections.push_back(read<ElfW(Shdr)>(
        file, header.e_shoff + std::size_t(i) * header.e_shentsize));
  return sections;
}

// A jump that leaves all registers of a call alone.
std::string jumpThrough(const std::string &slot) {
#if defined(__x86_64__)
  return "jmpq *" + slot + "(%rip)";
#elif defined(__aarch64__)
  return "adrp x16, " + slot + "\\n\"\n    \"ldr x16, [x16, #:lo12:" + slot +
         "]\\n\"\n    \"br x16";
#else
#error "no jump for this architecture"
#endif
}

} // namespace

// A symbol that the linker found in a library has that library's version.
std::vector<std::string> undefinedSymbols(std::string_view file) {
  std::vector<std::string> symbols;
  const std::vector<ElfW(Shdr)> sections = sectionsOf(file);
  const auto versions =
      std::find_if(sections.begin(), sections.end(), [](const auto &section) {
        return section.sh_type == SHT_GNU_versym;
      });
  for (const ElfW(Shdr) & section : sections) {
    if (section.sh_type != SHT_DYNSYM)
      continue;
    const ElfW(Shdr) &names = sections.at(section.sh_link);
    for (std::size_t i = 1; i < section.sh_size / section.sh_entsize; ++i) {
      const auto symbol =
          read<ElfW(Sym)>(file, section.sh_offset + i * section.sh_entsize);
      const bool isVersioned =
          versions != sections.end() &&
          read<ElfW(Half)>(file, versions->sh_offset + i * sizeof(ElfW(Half))) >
              VER_NDX_GLOBAL;
      if (symbol.st_shndx == SHN_UNDEF && !isVersioned &&
          ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL)
        symbols.emplace_back(file.data() + names.sh_offset + symbol.st_name);
    }
  }
  std::sort(symbols.begin(), symbols.end());
  return symbols;
}

std::string importStubs(const std::vector<std::string> &symbols) {
  std::string text = "#pragma clang diagnostic ignored \"-Weverything\"\n";
  std::string entries;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const std::string slot = "popc_import_" + std::to_string(i);
    // Hidden: the engine must not take the stub for the function.
    text += "__attribute__((visibility(\"hidden\"))) void *" + slot +
            ";\n__asm__(\".text\\n.globl " + symbols[i] + "\\n.hidden " +
            symbols[i] + "\\n.type " + symbols[i] + ", %function\\n\"\n    \"" +
            symbols[i] + ": " + jumpThrough(slot) + "\\n\");\n";
    entries += "{\"" + symbols[i] + "\", &" + slot + "}, ";
  }
  return text +
         "struct Import { const char *name; void **function; };\n"
         "static const struct Import imports[] = {" +
         entries +
         "};\nstruct Imports { unsigned count; const struct Import *imports; "
         "};\n__attribute__((visibility(\"default\"))) const struct Imports " +
         abi::kImportsSymbol + " = {" + std::to_string(symbols.size()) +
         ", imports};\n";
}

} // namespace ipumodel::popc
