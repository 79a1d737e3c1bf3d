// Checks that the parts of a report refer to each other correctly.
#pragma once

#include "pva/report_data.hpp"

namespace ipumodel {

// Throws std::runtime_error naming the first object with an invalid reference.
// Afterwards indices need no further checks.
void checkReferences(const profile::Report &report);

} // namespace ipumodel
