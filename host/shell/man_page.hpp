// The help of a command as a man page.
#pragma once

#include "host/shell/command_table.hpp"

#include <string>
#include <vector>

namespace popscope::host {

// As man finds it: popscope-events-cat.1
std::string manPageFile(const CommandEntry &command);

// The page in the language of groff, section 1. `version` is shown at its
// bottom; its SEE ALSO names the other commands of the table next to this one.
std::string manPage(const CommandEntry &command,
                    const std::vector<CommandEntry> &table,
                    const std::string &version);

} // namespace popscope::host
