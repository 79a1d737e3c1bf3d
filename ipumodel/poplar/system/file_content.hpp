// Reading and writing of whole files as strings.
#pragma once

#include <string>
#include <string_view>

namespace ipumodel {

// Throw std::system_error with the file's name.
std::string readFile(const std::string &path);
std::string readStandardInput();

// The file appears complete or not at all, to other processes too.
void writeFile(const std::string &path, std::string_view content);

} // namespace ipumodel
