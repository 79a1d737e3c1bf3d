#include "host/run/home_directory.hpp"

#include <cstdlib>
#include <pwd.h>
#include <unistd.h>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

bool holds(const fs::path &directory, const char *home) {
  if (!home || *home == '\0')
    return false;
  std::error_code none;
  fs::path path = fs::weakly_canonical(home, none);
  for (; path.has_relative_path(); path = path.parent_path())
    if (fs::equivalent(path, directory, none))
      return true;
  return false;
}

} // namespace

bool holdsHome(const fs::path &directory) {
  const passwd *const user = ::getpwuid(::geteuid());
  return directory == directory.root_path() ||
         holds(directory, std::getenv("HOME")) ||
         holds(directory, user ? user->pw_dir : nullptr);
}

} // namespace popscope::host
