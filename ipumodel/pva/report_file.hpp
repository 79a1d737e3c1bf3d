// Reports on disk: profile.pop and debug.cbor, see docs/profile_format.md.
#pragma once

#include "pva/report_data.hpp"

#include <string>
#include <vector>

namespace ipumodel {

// These throw std::runtime_error with the name of the file. A file is written
// aside and renamed, so that a reader never sees a part of it.
void writeReport(const std::string &path, const profile::Report &report);
void writeDebugContexts(const std::string &path,
                        const std::vector<profile::DebugContext> &contexts);

// These also check that all references are valid.
profile::Report readReport(const std::string &path);
std::vector<profile::DebugContext> readDebugContexts(const std::string &path);

} // namespace ipumodel
