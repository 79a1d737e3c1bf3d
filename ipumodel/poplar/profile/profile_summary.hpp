// A profile as readable text.
#pragma once

#include "poplar/options/engine_options.hpp"
#include "pva/report_data.hpp"

#include <ostream>

namespace ipumodel {

void printSummary(std::ostream &os, const profile::Report &report,
                  const SummarySettings &settings);

} // namespace ipumodel
