#include "host/train/watch/sample_file.hpp"

#include "host/command.hpp"
#include "host/run/run_directory.hpp"

#include <string>
#include <system_error>
#include <unistd.h>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

// Also if one of them is a link to the other.
bool isFileIn(const fs::path &directory, const fs::path &file) {
  std::error_code missing;
  for (const auto &entry : fs::directory_iterator(directory, missing))
    if (fs::equivalent(entry.path(), file, missing))
      return true;
  return false;
}

// Whether the run writes, or will write, a file of this name.
bool isFileOf(const fs::path &run, const fs::path &file) {
  const fs::path relative =
      fs::weakly_canonical(file).lexically_relative(fs::weakly_canonical(run));
  return !run.empty() && !relative.empty() && *relative.begin() != ".." &&
         isFileOfRun(relative);
}

bool isWritable(const fs::path &file) {
  if (fs::is_directory(file))
    return false;
  if (fs::exists(file))
    return ::access(file.c_str(), W_OK) == 0;
  const fs::path parent = fs::absolute(file).parent_path();
  return fs::is_directory(parent) && ::access(parent.c_str(), W_OK) == 0;
}

} // namespace

void checkSampleFile(const TrainOptions &options,
                     const ProtectedPlaces &places) {
  const fs::path file = options.inspection.json;
  if (file.empty() || options.inspection.jsonToStdout())
    return;
  const std::string name = "--inspect-json " + file.string();
  try {
    if (!isWritable(file))
      throw BadInput(name + " cannot be written to");
    if (isFileIn(places.data, file))
      throw BadInput(name + " is a file of the data set; choose another name");
    if (isFileOf(places.run, file))
      throw BadInput(name + " is a file of the run; choose another name");
    if (fs::is_regular_file(file) && !options.force && !options.resume)
      throw BadInput(name + " exists; --force overwrites it, --resume goes on "
                            "with it");
  } catch (const fs::filesystem_error &error) {
    throw BadInput(name + ": " + error.code().message());
  }
}

} // namespace popscope::host
