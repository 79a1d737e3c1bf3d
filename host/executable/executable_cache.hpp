// Compiled programs that are kept, since compiling for an IPU takes minutes.
#pragma once

#include "host/executable/private_cache.hpp"

#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace popscope::host {

struct CacheUse {
  bool isLoaded = false; // from the cache; else it was compiled
  bool isStored = false; // in the cache, now or before
  // In a line each: why a stored one was not used, why this one was not stored.
  std::vector<std::string> problems;
};

struct CachedExecutable {
  poplar::Executable executable;
  CacheUse use;
};

class ExecutableCache {
public:
  explicit ExecutableCache(const std::filesystem::path &directory)
      : cache_(directory) {}

  // Throws what poplar::compileGraph throws. A cache that cannot be read or
  // written costs time, and nothing else.
  CachedExecutable
  compile(const poplar::Graph &graph,
          const std::vector<poplar::program::Program> &programs,
          const poplar::OptionFlags &options) const;

private:
  const PrivateCache cache_;
};

} // namespace popscope::host
