// A file that a command writes for its user: all of it, or none.
#pragma once

#include <filesystem>
#include <fstream>
#include <ostream>
#include <vector>

namespace popscope::host {

enum class IfExists { refuse, replace };

// Files that the command reads, which it must not overwrite even if forced.
using Inputs = std::vector<std::filesystem::path>;

// Throws BadInput, naming the path and the remedy, if `path` is one of the
// inputs under any name (links included), is a directory, exists and is not to
// be replaced, or is in a directory that cannot be written. A device or a pipe
// may always be written.
void requireWritable(const std::filesystem::path &path, IfExists ifExists,
                     const Inputs &inputs);

// The data are written to a hidden file in the same directory, which gets the
// user's name when it is complete. Until then an older file of that name stays
// as it is. Devices and pipes are written directly.
//
//   OutputFile file(path, IfExists::refuse, inputs);
//   std::ofstream out = file.open();
//   out << ...;
//   file.commit(out);
//
// If SIGINT, SIGTERM or SIGHUP ends the process, the hidden file is removed.
// Create and destroy on one thread.
class OutputFile {
public:
  // Throws BadInput as requireWritable does.
  OutputFile(std::filesystem::path path, IfExists ifExists,
             const Inputs &inputs);
  ~OutputFile(); // removes what was not committed
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  const std::filesystem::path &path() const { return path_; }
  // The file to write, which does not exist yet unless it is a device or a
  // pipe.
  const std::filesystem::path &partial() const { return partial_; }

  // Throws BadInput if the partial file cannot be created.
  std::ofstream open() const;
  // Throws std::runtime_error with the system's reason if the last write to the
  // stream failed. To be called right after writing.
  void requireGood(const std::ostream &out) const;

  // Gives the partial file, which must be closed, its name. Throws
  // std::runtime_error if that fails.
  void commit();
  // Closes the stream first; throws std::runtime_error if not everything could
  // be written.
  void commit(std::ofstream &out);

private:
  bool isDirect() const { return partial_ == path_; }

  const std::filesystem::path path_;
  const IfExists ifExists_;
  std::filesystem::path partial_;
};

} // namespace popscope::host
