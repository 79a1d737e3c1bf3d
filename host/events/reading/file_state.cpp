#include "host/events/reading/file_state.hpp"

#include "host/command.hpp"
#include "host/terminal/problem.hpp"

namespace popscope::host::events {

void FileState::append(const FileState &later) {
  if (gaps.empty())
    recordsBeforeDamage = records + later.recordsBeforeDamage;
  records += later.records;
  gaps.insert(gaps.end(), later.gaps.begin(), later.gaps.end());
  bytes = later.bytes;
  tornBytes = later.tornBytes;
  tornNeeded = later.tornNeeded;
  unreadable = later.unreadable;
}

std::string describe(const FileState &file) {
  if (!file.unreadable.empty())
    return "cannot be read: " + file.unreadable;
  if (file.isDamaged())
    return summary::describe(file.gaps.front().damage);
  if (file.tornBytes != 0)
    return "ends inside a record at byte " +
           std::to_string(file.bytes - file.tornBytes) + ": " +
           std::to_string(file.tornBytes) + " of " +
           std::to_string(file.tornNeeded) + " bytes are there";
  return file.bytes == 0 ? "empty" : "whole";
}

bool reportUnlessWhole(const FileState &file) {
  if (!file.isWhole())
    printProblem(file.path.string() + ": " + describe(file));
  return file.isWhole();
}

void requireReadable(const FileState &file) {
  if (!file.unreadable.empty())
    throw BadInput(file.path.string() + ": " + describe(file));
}

} // namespace popscope::host::events
