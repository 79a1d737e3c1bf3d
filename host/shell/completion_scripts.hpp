// Scripts that make a shell complete the commands of a table when Tab is
// pressed. The first entry of the table is the program.
#pragma once

#include "host/shell/command_table.hpp"

#include <string>
#include <vector>

namespace popscope::host {

std::string bashCompletion(const std::vector<CommandEntry> &table);
std::string zshCompletion(const std::vector<CommandEntry> &table);
std::string fishCompletion(const std::vector<CommandEntry> &table);

} // namespace popscope::host
