// A 64-bit hash of bytes (FNV-1a) to identify contents; not secure against
// deliberate collisions.
#pragma once

#include <cstdint>
#include <string_view>

namespace ipumodel {

constexpr std::uint64_t contentHash(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char byte : bytes)
    hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  return hash;
}

} // namespace ipumodel
