// The content of a .gp file: compiled codelets, ready to be loaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ipumodel {

struct GpArchive {
  std::vector<std::string>
      targets; // as passed to popc; the code is for the CPU
  std::vector<std::string> sources; // names of the files it was made from
  std::vector<std::string> objects; // shared objects exporting an abi::Module
  // The same objects for machines with AVX2, and for those with AVX-512: one
  // for each of `objects`, or none at all on other architectures.
  std::vector<std::string> avx2Objects, avx512Objects;
};

// Equal archives give equal bytes.
std::string serialise(const GpArchive &archive);

// Throws std::runtime_error with the fault if the bytes are invalid.
GpArchive parseGpArchive(std::string_view bytes);

} // namespace ipumodel
