// The vertices that native operations stand for, in a profile.
#pragma once

#include "poplar/program/executable_data.hpp"
#include "pva/report_data.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace ipumodel {

class NativeVertices {
public:
  // `compilation` has the compute sets and vertex types of the graph; both are
  // added to.
  NativeVertices(const ExecutableData &executable,
                 profile::Compilation &compilation);

  // Adds one vertex on each of the tiles, once for each operation. Returns its
  // compute set, or none if it is part of one of the graph's compute sets,
  // which then has the vertices.
  std::uint32_t add(const ProgramNode &native,
                    const profile::TileCycles &tileCycles);

private:
  std::uint32_t vertexType(const std::string &name);

  profile::Compilation &compilation_;
  // By operation: the graph's compute set of which it is a part, and the one
  // that has its vertices.
  std::unordered_map<const ProgramNode *, std::uint32_t> owners_;
  std::unordered_map<const ProgramNode *, std::uint32_t> computeSets_;
  std::unordered_map<std::string, std::uint32_t> vertexTypes_;
};

} // namespace ipumodel
