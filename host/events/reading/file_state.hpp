// What was found in an event file: how much of it is whole and what is wrong.
#pragma once

#include "summary/records/record_reader.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace popscope::host::events {

// A range of a file that holds no whole event.
struct Gap {
  summary::Damage damage;
  std::uint64_t bytes; // up to the next whole record
};

struct FileState {
  std::filesystem::path path;
  std::uint64_t bytes = 0; // read
  std::uint64_t records = 0;
  std::uint64_t recordsBeforeDamage = 0; // all that TensorBoard reads
  std::vector<Gap> gaps;
  // If the file ends inside a record: how many of the record's bytes are there,
  // and how many it needs.
  std::uint64_t tornBytes = 0;
  std::uint64_t tornNeeded = 0;
  std::string unreadable; // the system's reason if reading failed, else empty

  bool isDamaged() const { return !gaps.empty(); }
  bool isWhole() const {
    return gaps.empty() && tornBytes == 0 && unreadable.empty();
  }
  // Adds what was found in the part of the file that follows.
  void append(const FileState &later);
};

// "whole", "empty", or the first thing that is wrong, in one line.
std::string describe(const FileState &file);

// Prints what is wrong, if anything, to standard error. Returns whether the
// file is whole.
bool reportUnlessWhole(const FileState &file);

// Throws BadInput if the file could not be read.
void requireReadable(const FileState &file);

} // namespace popscope::host::events
