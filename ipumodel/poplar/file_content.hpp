// Whole files as strings.
#pragma once

#include <string>
#include <string_view>

namespace ipumodel {

// Throw std::system_error naming the file.
std::string readFile(const std::string &path);
std::string readStandardInput();

// The file appears complete or not at all, also to other processes.
void writeFile(const std::string &path, std::string_view content);

} // namespace ipumodel
