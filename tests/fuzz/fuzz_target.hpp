// A fuzz target is one file that defines LLVMFuzzerTestOneInput. libFuzzer
// calls it with bytes of its own making; replay_corpus.cpp with the committed
// ones. A reader may refuse what it gets by the exception that its header
// names; another one, a signal or a sanitiser's complaint is a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size);

namespace popscope::fuzz {

// Inputs that were not refused. A corpus without any tests nothing but the
// first lines of a reader.
inline std::size_t accepted = 0; // NOLINT(*-avoid-non-const-global-variables)

inline std::string_view textOf(const std::uint8_t *data, std::size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

} // namespace popscope::fuzz
