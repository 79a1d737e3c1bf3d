// Whether the parts of a report fit together.
#pragma once

#include "pva/report_data.hpp"

namespace ipumodel {

// Throws std::runtime_error naming the first object that refers to something
// that is not there. Nothing else needs to check indices afterwards.
void checkReferences(const profile::Report &report);

} // namespace ipumodel
